import { z } from "zod";
import { COMMAND_LINE_CLIENT } from "../../schemas/oauth-client.ts";
import { OAUTH_PATHS } from "../../schemas/oauth-paths.ts";
import { UnreachableError } from "./failures.ts";
import { type ClientClock, platformClock } from "./platform.ts";

const TIMEOUT_MS = 30_000;
/** RFC 8628, sections 3.2 and 3.5. */
const INTERVAL_S = 5;
const DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code";

const Refusal = z.object({ error: z.string(), error_description: z.string().optional() });
const Granted = z.object({
  access_token: z.string(),
  refresh_token: z.string(),
  expires_in: z.number(),
  scope: z.string(),
});
const Device = z.object({
  device_code: z.string(),
  user_code: z.string(),
  verification_uri: z.string(),
  verification_uri_complete: z.string(),
  expires_in: z.number(),
  interval: z.number().default(INTERVAL_S),
});

/** What lets a program act for a person; times are Unix ms. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresAt: number;
  readonly scope: string;
}

/** A person is to type `userCode` at `address`, or to open `completeAddress`. */
export interface DeviceLogin {
  readonly deviceCode: string;
  readonly userCode: string;
  readonly address: string;
  readonly completeAddress: string;
  readonly expiresAt: number;
  readonly intervalMs: number;
}

/** What the service says no to: `code` as RFC 6749 and RFC 8628 have them. */
export class TokenRefusedError extends Error {
  override readonly name = "TokenRefusedError";
  readonly code: string;

  constructor(code: string, description: string) {
    super(description);
    this.code = code;
  }
}

interface TokenOptions {
  readonly fetch?: (request: Request) => Promise<Response>;
  readonly clock?: ClientClock;
}

/**
 * The tokens of the command line (RFC 8628 and RFC 6749), from the service at `url`: gotten by a person, renewed, and
 * given back. Throws `TokenRefusedError`, and `UnreachableError` where nobody answers.
 */
export const tokensOf = (url: string, options: TokenOptions = {}) => {
  const { fetch: send = fetch, clock = platformClock } = options;

  const post = async (
    path: string,
    fields: Record<string, string>,
    signal?: AbortSignal,
  ): Promise<unknown> => {
    const body = new URLSearchParams({ client_id: COMMAND_LINE_CLIENT, ...fields });
    const late = AbortSignal.timeout(TIMEOUT_MS);
    const request = new Request(`${url.replace(/\/+$/, "")}${path}`, {
      method: "POST",
      body,
      signal: signal === undefined ? late : AbortSignal.any([late, signal]),
    });
    const response = await send(request).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw new UnreachableError(url, error);
    });
    const text = await response.text();
    if (response.ok) return text === "" ? null : JSON.parse(text);
    const { data: refusal } = Refusal.safeParse(parsed(text));
    const { error = "unexpected_answer", error_description: description } = refusal ?? {};
    throw new TokenRefusedError(error, description ?? `the service answered ${response.status}`);
  };

  const granted = (answer: unknown): Tokens => {
    const { access_token, refresh_token, expires_in, scope } = Granted.parse(answer);
    const expiresAt = clock.now() + expires_in * 1_000;
    return { accessToken: access_token, refreshToken: refresh_token, expiresAt, scope };
  };

  return {
    beginLogin: async (scope: string, signal?: AbortSignal): Promise<DeviceLogin> => {
      const device = Device.parse(await post(OAUTH_PATHS.deviceCode, { scope }, signal));
      return {
        deviceCode: device.device_code,
        userCode: device.user_code,
        address: device.verification_uri,
        completeAddress: device.verification_uri_complete,
        expiresAt: clock.now() + device.expires_in * 1_000,
        intervalMs: device.interval * 1_000,
      };
    },
    /** Resolves once the person has said yes; asks again and again, also where nobody answers for a while. */
    finishLogin: async (login: DeviceLogin, signal?: AbortSignal): Promise<Tokens> => {
      const fields = { grant_type: DEVICE_CODE, device_code: login.deviceCode };
      for (let waitMs = login.intervalMs; clock.now() < login.expiresAt; ) {
        await clock.sleep(waitMs, signal);
        try {
          return granted(await post(OAUTH_PATHS.token, fields, signal));
        } catch (error) {
          if (error instanceof TokenRefusedError && error.code === "slow_down") waitMs += INTERVAL_S * 1_000;
          else if (!isPassing(error)) throw error;
        }
      }
      throw new TokenRefusedError("expired_token", "nobody typed the code in time");
    },
    /** The refresh token is another one from now on: the one before must not be used again. */
    renew: async (refreshToken: string): Promise<Tokens> =>
      granted(await post(OAUTH_PATHS.token, { grant_type: "refresh_token", refresh_token: refreshToken })),
    /** With all that was issued with it. */
    revoke: async (refreshToken: string): Promise<void> => {
      await post(OAUTH_PATHS.revoke, { token: refreshToken, token_type_hint: "refresh_token" });
    },
  };
};

/** What another attempt may change. */
const isPassing = (error: unknown): boolean =>
  error instanceof UnreachableError ||
  (error instanceof TokenRefusedError &&
    ["authorization_pending", "temporarily_unavailable", "server_error"].includes(error.code));

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};
