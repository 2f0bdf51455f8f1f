import type { EventEmitter } from "node:events";
import { Provider } from "oidc-provider";
import { Scope } from "../../../schemas/api-key.ts";
import { OAuthClientId } from "../../../schemas/common.ts";
import { ControlUnavailableError } from "../../ports/control-store.ts";
import type { Logger } from "../../ports/telemetry.ts";
import { configurationOf, type ProviderOptions } from "./configuration.ts";

/** What is told of OpenID Connect, which this is not. */
const NOT_TOLD = [
  "acr_values_supported",
  "claim_types_supported",
  "claims_parameter_supported",
  "claims_supported",
  "id_token_signing_alg_values_supported",
  "subject_types_supported",
];

/** Links are made for the address that was configured, whatever a request says of the host that it came to. */
const atPublicUrl = ({ request }: Provider, publicUrl: string): void => {
  const { protocol, host, hostname, origin } = new URL(publicUrl);
  const told = { protocol: protocol.slice(0, -1), host, hostname, origin, href: origin };
  for (const [name, value] of Object.entries(told)) Object.defineProperty(request, name, { value });
};

/** What RFC 8414 knows, of what is there. */
const trimMetadata = (provider: Provider): void => {
  provider.use(async (ctx, next) => {
    await next();
    const { body } = ctx;
    if (typeof body !== "object" || body === null || !("authorization_endpoint" in body)) return;
    const told = Object.entries(body).filter(([name]) => !NOT_TOLD.includes(name));
    ctx.body = {
      ...Object.fromEntries(told),
      response_modes_supported: ["query"],
      scopes_supported: Scope.options,
    };
  });
};

/** The authorization server (RFC 6749 and its kin), of whose pages none is shown. */
export const createProvider = (options: ProviderOptions, log: Logger): Provider => {
  const { store, publicUrl } = options;
  const provider = new Provider(publicUrl, configurationOf(options));
  atPublicUrl(provider, publicUrl);
  trimMetadata(provider);
  Object.assign(provider.Client.prototype, {
    async compareClientSecret(this: { readonly clientId: string }, secret: string): Promise<boolean> {
      const id = OAuthClientId.safeParse(this.clientId).data;
      return id !== undefined && (await store.clients.hasSecret(id, secret));
    },
  });
  provider.on("authorization.success", ({ oidc }) => {
    // Who is signed in is known by our own cookie; the authorization server remembers nobody.
    Object.assign(oidc.session ?? {}, { destroyed: true });
  });
  provider.on("grant.revoked", ({ oidc }, grantId) =>
    log.info({ grantId, clientId: oidc.client?.clientId, route: oidc.route }, "oauth_grant_revoked"),
  );
  provider.on("server_error", (ctx, err) => {
    if (err instanceof ControlUnavailableError) ctx.status = 503;
    log.error({ err, path: ctx.path }, "oauth_failed");
  });
  // Of Koa, below it.
  const koa: EventEmitter = provider;
  koa.on("error", (err: unknown) => log.error({ err }, "oauth_failed"));
  return provider;
};
