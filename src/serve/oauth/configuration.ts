import { type Configuration, errors } from "oidc-provider";
import { Scope } from "../../../schemas/api-key.ts";
import { OAuthGrantId } from "../../../schemas/common.ts";
import { findProgram } from "../../access/programs.ts";
import {
  ACCESS_TOKEN_MS,
  AUTHORIZATION_CODE_MS,
  CONSENT_MS,
  DEVICE_CODE_MS,
  REFRESH_TOKEN_MS,
} from "../../domain/access/limits.ts";
import { scopesWithin } from "../../domain/access/roles.ts";
import type { OAuthStore } from "../../ports/oauth.ts";
import { adapterOn } from "./adapter.ts";
import { TOKEN_FORMAT } from "./client-metadata.ts";
import { renderFailure } from "./failure-page.ts";
import { type OAuthKeys, SIGNING_ALGORITHM } from "./keys.ts";
import { API, audienceOf, GRANT_CLAIM, PATHS } from "./paths.ts";

const seconds = (ms: number): number => ms / 1_000;
const ACCESS_S = seconds(ACCESS_TOKEN_MS);

type Features = NonNullable<Configuration["features"]>;

const FEATURES = {
  clientCredentials: { enabled: true },
  dPoP: { enabled: false },
  devInteractions: { enabled: false },
  // The pages on which a person types the code are ours.
  deviceFlow: { enabled: true, charset: "base-20", mask: "****-****", deviceInfo: () => ({}) },
  pushedAuthorizationRequests: { enabled: false },
  rpInitiatedLogout: { enabled: false },
  userinfo: { enabled: false },
} as const satisfies Features;

/** Words of a request's `scope` that are scopes of ours. */
const scopesIn = (scope: unknown): Scope[] => {
  const words = typeof scope === "string" ? scope.split(" ") : [];
  return Scope.options.filter((each) => words.includes(each));
};

const resourceIndicators = (publicUrl: string): Features["resourceIndicators"] => ({
  enabled: true,
  defaultResource: () => API,
  useGrantedResource: () => true,
  getResourceServerInfo: ({ oidc }, resource, client) => {
    if (resource !== API) throw new errors.InvalidTarget();
    const { grant_type: grantType, scope } = oidc.params ?? {};
    // What has no scope may do nothing: said where it is asked for, not at the first call.
    const isBeginning = grantType === undefined || grantType === "client_credentials";
    if (isBeginning && scopesIn(scope).length === 0)
      throw new errors.InvalidScope(`ask for a scope: ${Scope.options.join(", ")}`, String(scope ?? ""));
    return {
      scope: Scope.options.join(" "),
      audience: audienceOf(publicUrl),
      accessTokenTTL: ACCESS_S,
      accessTokenFormat: client[TOKEN_FORMAT] === "jwt" ? "jwt" : "opaque",
      jwt: { sign: { alg: SIGNING_ALGORITHM } },
    };
  },
});

/** Who may look into a token: its own client, and those of the account it is for that can keep a secret. */
const mayLookInto =
  ({ clients, grants }: OAuthStore): NonNullable<NonNullable<Features["introspection"]>["allowedPolicy"]> =>
  async (_ctx, client, token) => {
    const grantId = "grantId" in token ? token.grantId : undefined;
    const grant = grantId === undefined ? null : await grants.open(OAuthGrantId.parse(grantId));
    // Revoked, or the person may do nothing there now.
    if (grantId !== undefined && grant === null) return false;
    if (grant !== null) token.scope = scopesWithin(grant.role, scopesIn(token.scope)).join(" ");
    if (token.clientId === client.clientId) return true;
    if (client.clientAuthMethod === "none") return false;
    const asking = await findProgram(clients, client.clientId);
    const owner = grant?.accountId ?? (await findProgram(clients, token.clientId ?? ""))?.accountId;
    return asking !== null && asking.accountId === owner;
  };

const revocation: Features["revocation"] = {
  enabled: true,
  allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
};

export interface ProviderOptions {
  readonly store: OAuthStore;
  readonly keys: OAuthKeys;
  readonly publicUrl: string;
  /** Stands in place of clients' secrets: nobody knows it. */
  readonly nobodysSecret: string;
}

/** OAuth 2.1: codes with PKCE only, rotated refresh tokens, nothing implicit, no passwords. */
export const configurationOf = ({
  store,
  keys,
  publicUrl,
  nobodysSecret,
}: ProviderOptions): Configuration => ({
  adapter: adapterOn(store, nobodysSecret),
  allowOmittingSingleRegisteredRedirectUri: false,
  clientAuthMethods: ["client_secret_basic", "client_secret_post", "none"],
  clientBasedCORS: () => false,
  clientDefaults: { id_token_signed_response_alg: SIGNING_ALGORITHM },
  cookies: { keys: [keys.cookies] },
  extraClientMetadata: { properties: [TOKEN_FORMAT] },
  extraTokenClaims: (_ctx, token) =>
    token.format === "jwt" && "grantId" in token ? { [GRANT_CLAIM]: token.grantId } : undefined,
  features: {
    ...FEATURES,
    introspection: { enabled: true, allowedPolicy: mayLookInto(store) },
    resourceIndicators: resourceIndicators(publicUrl),
    revocation,
  },
  // Of somebody who may do nothing here now, nothing is found.
  findAccount: async (_ctx, sub, token) => {
    const grantId = token?.grantId;
    if (grantId !== undefined && (await store.grants.open(OAuthGrantId.parse(grantId))) === null)
      return undefined;
    return { accountId: sub, claims: () => ({ sub }) };
  },
  expiresWithSession: () => false,
  interactions: { url: (_ctx, { uid }) => `${PATHS.consent}/${uid}` },
  issueRefreshToken: (_ctx, client) => client.grantTypeAllowed("refresh_token"),
  jwks: { keys: [keys.signing] },
  pkce: { required: () => true },
  renderError: renderFailure,
  responseTypes: ["code"],
  revokeGrantPolicy: () => true,
  rotateRefreshToken: true,
  routes: {
    authorization: PATHS.authorize,
    code_verification: PATHS.device,
    device_authorization: PATHS.deviceCode,
    introspection: PATHS.introspect,
    jwks: PATHS.jwks,
    revocation: PATHS.revoke,
    token: PATHS.token,
  },
  scopes: Scope.options,
  ttl: {
    AccessToken: ACCESS_S,
    AuthorizationCode: seconds(AUTHORIZATION_CODE_MS),
    ClientCredentials: ACCESS_S,
    DeviceCode: seconds(DEVICE_CODE_MS),
    Grant: seconds(REFRESH_TOKEN_MS),
    IdToken: ACCESS_S,
    Interaction: seconds(CONSENT_MS),
    RefreshToken: seconds(REFRESH_TOKEN_MS),
    Session: seconds(CONSENT_MS),
  },
});
