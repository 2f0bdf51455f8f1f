import { type Configuration, errors } from "oidc-provider";
import { Scope } from "../../../schemas/api-key.ts";
import { OAuthGrantId, PersonId } from "../../../schemas/common.ts";
import { findProgram, ownAccess } from "../../access/programs.ts";
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
import type { EndGrant } from "./grant-endings.ts";
import { type OAuthKeys, SIGNING_ALGORITHM } from "./keys.ts";
import { ANSWERING_CLAIM, API, audienceOf, GRANT_CLAIM, PATHS } from "./paths.ts";

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

/** Of what a program asks for to act for itself, what it is given; refused where that is nothing. */
const ownScopes = async (store: OAuthStore, clientId: string, asked: readonly Scope[]): Promise<Scope[]> => {
  const own = await ownAccess(store, clientId);
  if (own === null)
    throw new errors.UnauthorizedClient(
      "whoever answers for this client may do nothing in the account now: let an owner make it a new secret",
    );
  const given = asked.filter((scope) => own.scopes.includes(scope));
  if (given.length > 0) return given;
  throw new errors.InvalidScope("whoever answers for this client may not do that now", asked.join(" "));
};

const resourceIndicators = (store: OAuthStore, publicUrl: string): Features["resourceIndicators"] => ({
  enabled: true,
  defaultResource: () => API,
  useGrantedResource: () => true,
  getResourceServerInfo: async ({ oidc }, resource, client) => {
    if (resource !== API) throw new errors.InvalidTarget();
    const { grant_type: grantType, scope } = oidc.params ?? {};
    // What has no scope may do nothing: said where it is asked for, not at the first call.
    const isForItself = grantType === "client_credentials";
    const asked = scopesIn(scope);
    if ((grantType === undefined || isForItself) && asked.length === 0)
      throw new errors.InvalidScope(`ask for a scope: ${Scope.options.join(", ")}`, String(scope ?? ""));
    const given = isForItself ? await ownScopes(store, client.clientId, asked) : Scope.options;
    return {
      scope: given.join(" "),
      audience: audienceOf(publicUrl),
      accessTokenTTL: ACCESS_S,
      accessTokenFormat: client[TOKEN_FORMAT] === "jwt" ? "jwt" : "opaque",
      jwt: { sign: { alg: SIGNING_ALGORITHM } },
    };
  },
});

type LookedInto = Parameters<NonNullable<NonNullable<Features["introspection"]>["allowedPolicy"]>>[2];

/** In which account a token opens something now, and what of its scope; null: it was revoked, or its person may do nothing. */
const openedBy = async (store: OAuthStore, token: LookedInto) => {
  const asked = scopesIn(token.scope);
  const grantId = "grantId" in token ? token.grantId : undefined;
  if (grantId !== undefined) {
    const grant = await store.grants.open(OAuthGrantId.parse(grantId));
    if (grant === null) return null;
    const scopes = scopesWithin(grant.role, asked).filter((scope) =>
      scopesWithin("owner", grant.scopes).includes(scope),
    );
    return { accountId: grant.accountId, scopes };
  }
  const answering = "extra" in token ? PersonId.safeParse(token.extra?.[ANSWERING_CLAIM]).data : undefined;
  const own = await ownAccess(store, token.clientId ?? "", answering);
  if (own === null) return null;
  return { accountId: own.program.accountId, scopes: asked.filter((scope) => own.scopes.includes(scope)) };
};

/** Who may look into a token: its own client, and those of the account it is for that can keep a secret. */
const mayLookInto =
  (store: OAuthStore): NonNullable<NonNullable<Features["introspection"]>["allowedPolicy"]> =>
  async (_ctx, client, token) => {
    const opened = await openedBy(store, token);
    if (opened === null) return false;
    token.scope = opened.scopes.join(" ");
    if (token.clientId === client.clientId) return true;
    if (client.clientAuthMethod === "none") return false;
    const asking = await findProgram(store.clients, client.clientId);
    return asking !== null && asking.accountId === opened.accountId;
  };

/** What a token is found by, where only the token tells it. */
const extraTokenClaims: Configuration["extraTokenClaims"] = (_ctx, token) => {
  if (token.kind === "ClientCredentials") return { [ANSWERING_CLAIM]: token.client?.[ANSWERING_CLAIM] };
  return token.format === "jwt" && "grantId" in token ? { [GRANT_CLAIM]: token.grantId } : undefined;
};

const revocation: Features["revocation"] = {
  enabled: true,
  allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
};

export interface ProviderOptions {
  readonly store: OAuthStore;
  readonly keys: OAuthKeys;
  readonly publicUrl: string;
  readonly endGrant: EndGrant;
  /** Stands in place of clients' secrets: nobody knows it. */
  readonly nobodysSecret: string;
}

/** OAuth 2.1: codes with PKCE only, rotated refresh tokens, nothing implicit, no passwords. */
export const configurationOf = ({
  store,
  keys,
  publicUrl,
  endGrant,
  nobodysSecret,
}: ProviderOptions): Configuration => ({
  adapter: adapterOn(store, nobodysSecret, endGrant),
  allowOmittingSingleRegisteredRedirectUri: false,
  clientAuthMethods: ["client_secret_basic", "client_secret_post", "none"],
  clientBasedCORS: () => false,
  clientDefaults: { id_token_signed_response_alg: SIGNING_ALGORITHM },
  cookies: { keys: [keys.cookies] },
  extraClientMetadata: { properties: [TOKEN_FORMAT, ANSWERING_CLAIM] },
  extraTokenClaims,
  features: {
    ...FEATURES,
    introspection: { enabled: true, allowedPolicy: mayLookInto(store) },
    resourceIndicators: resourceIndicators(store, publicUrl),
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
