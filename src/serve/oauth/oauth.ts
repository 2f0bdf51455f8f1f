import type { IncomingMessage, ServerResponse } from "node:http";
import type { Provider } from "oidc-provider";
import type { Origin } from "../../ports/audit.ts";
import type { Clock, Entropy } from "../../ports/clock.ts";
import type { ControlStore } from "../../ports/control-store.ts";
import type { Logger, Telemetry } from "../../ports/telemetry.ts";
import { endGrantIn } from "./grant-endings.ts";
import { loadKeys } from "./keys.ts";
import { createProvider } from "./provider.ts";
import { TokenFinder } from "./token-finder.ts";

const SECRET_BYTES = 32;

interface OAuthOptions {
  readonly control: Pick<ControlStore, "access" | "by">;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly telemetry: Telemetry;
  /** Known once the worker listens. */
  readonly publicUrl: () => string;
}

/** What lets programs in. */
export interface OAuth {
  readonly control: Pick<ControlStore, "access">;
  /** Made at the first call, as soon as the public address is known. */
  readonly provider: () => Provider;
  readonly handle: (request: IncomingMessage, response: ServerResponse, from: Origin) => Promise<void>;
  readonly tokens: TokenFinder;
  readonly log: Logger;
}

export const startOAuth = async (options: OAuthOptions): Promise<OAuth> => {
  const { control, clock, entropy, telemetry, publicUrl } = options;
  const store = control.access.oauth;
  const keys = await loadKeys(store, entropy);
  const nobodysSecret = Buffer.from(entropy.bytes(SECRET_BYTES)).toString("base64url");
  let provider: Provider | null = null;
  let handle: ReturnType<Provider["callback"]> | null = null;
  const origins = new WeakMap<IncomingMessage, Origin>();
  const endGrant = endGrantIn(control, origins);
  const made = (): Provider => {
    provider ??= createProvider(
      { store, keys, publicUrl: publicUrl(), endGrant, nobodysSecret },
      telemetry.log,
    );
    return provider;
  };
  return {
    control,
    provider: made,
    handle: (request, response, from) => {
      origins.set(request, from);
      handle ??= made().callback();
      return handle(request, response);
    },
    tokens: new TokenFinder({ store, keys, clock, publicUrl }),
    log: telemetry.log,
  };
};
