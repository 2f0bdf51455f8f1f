import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
} from "openid-client";
import type { OutsideProviderSettings } from "../../domain/outside-settings.ts";
import type {
  OutsideAnswer,
  OutsideCheck,
  OutsideIdentity,
  OutsideProviders,
} from "../../ports/outside-providers.ts";
import type { Surroundings } from "../../ports/surroundings.ts";
import { Discovery } from "./discovery.ts";
import { type Failed, failureOf, reasonOf } from "./failures.ts";

/** Nothing but who somebody is. */
const SCOPE = "openid";
/** Of each request to a provider; somebody waits for two or three. */
const TIMEOUT_MS = 5_000;
/** Of all people at once; each takes some seconds at most. */
const ASKED_AT_ONCE = 64;
/** OpenID Connect Core 1.0, section 2: ASCII, at most 255. */
const SUBJECT = /^[\x20-\x7e]{1,255}$/;

/** More people come from providers than could be asked about in a reasonable time. */
class TooManyError extends Error {}

const addressAt = async (config: Configuration, check: OutsideCheck, isFresh: boolean): Promise<string> =>
  buildAuthorizationUrl(config, {
    redirect_uri: check.redirectUri,
    scope: SCOPE,
    state: check.state,
    nonce: check.nonce,
    code_challenge: await calculatePKCECodeChallenge(check.verifier),
    code_challenge_method: "S256",
    ...(isFresh ? { prompt: "login", max_age: "0" } : {}),
  }).href;

/** By the code in the answer; the library checks state, issuer (RFC 9207), signature, audience, nonce and times. */
const identityBy = async (
  config: Configuration,
  query: string,
  check: OutsideCheck,
  maxAge: number | null,
): Promise<OutsideIdentity | null> => {
  const address = new URL(check.redirectUri);
  address.search = query;
  const tokens = await authorizationCodeGrant(config, address, {
    expectedState: check.state,
    expectedNonce: check.nonce,
    pkceCodeVerifier: check.verifier,
    idTokenExpected: true,
    ...(maxAge === null ? {} : { maxAge }),
  });
  const { iss: issuer, sub: subject } = tokens.claims() ?? {};
  if (issuer === undefined || subject === undefined || !SUBJECT.test(subject)) return null;
  return { issuer, subject };
};

/** Providers through openid-client. */
export const openIdProviders = (
  settings: readonly OutsideProviderSettings[],
  { clock, telemetry }: Pick<Surroundings, "clock" | "telemetry">,
  timeoutMs = TIMEOUT_MS,
): OutsideProviders => {
  const discoveries = new Map(settings.map((one) => [one.id, new Discovery(one, clock, timeoutMs)]));
  const failures = telemetry.metrics.counter(
    "outside_sign_in_failed_total",
    "Sign-ins through outside providers that came to nothing, by why.",
    ["provider", "state"],
  );
  let asked = 0;
  const configOf = async (id: string): Promise<Configuration> => {
    const found = discoveries.get(id);
    if (found === undefined) throw new Error(`there is no provider ${id}`);
    return found.config();
  };
  const failed = (provider: string, state: Failed, reason: string): { readonly state: Failed } => {
    failures.add(1, { provider, state });
    telemetry.log.warn({ provider, state, reason }, "outside_sign_in_failed");
    return { state };
  };
  /** One of so many at a time. */
  const limited = async <T>(work: () => Promise<T>): Promise<T> => {
    if (asked >= ASKED_AT_ONCE) throw new TooManyError(`${ASKED_AT_ONCE} people are being asked about`);
    asked++;
    try {
      return await work();
    } finally {
      asked--;
    }
  };
  return {
    all: settings.map(({ id, name, issuer }) => ({ id, name, issuer })),
    addressOf: async (id, check, isFresh) => {
      try {
        return await addressAt(await configOf(id), check, isFresh);
      } catch (error) {
        failed(id, "unavailable", reasonOf(error));
        return null;
      }
    },
    answer: async (id, query, check, since): Promise<OutsideAnswer> => {
      try {
        const maxAge = since === null ? null : Math.max(0, Math.ceil((clock.now() - since) / 1_000));
        const identity = await limited(async () => identityBy(await configOf(id), query, check, maxAge));
        if (identity === null) return failed(id, "refused", "the token names nobody");
        return { state: "vouched", identity };
      } catch (error) {
        return failed(id, failureOf(error), reasonOf(error));
      }
    },
  };
};
