import {
  allowInsecureRequests,
  type Configuration,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
} from "openid-client";
import type { OutsideProviderSettings } from "../../domain/outside-settings.ts";
import type { Clock } from "../../ports/clock.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import { clientAuthOf } from "./client-auth.ts";

/** What providers say of themselves changes seldom. */
const FRESH_MS = 3_600_000;
/** A provider that fails is left alone for a moment. */
const PAUSE_MS = 2_000;

/** The provider is not what the settings say, or was down a moment ago. */
export class DiscoveryError extends Error {
  override readonly name = "DiscoveryError";
}

/** What it says of itself (OpenID Connect Discovery 1.0). */
const discovered = async (settings: OutsideProviderSettings, timeoutMs: number): Promise<Configuration> => {
  const issuer = new URL(settings.issuer);
  const config = await discovery(issuer, settings.clientId, {}, clientAuthOf(settings), {
    [customFetch]: boundedFetch,
    timeout: timeoutMs / 1_000,
    // Signatures are checked although the tokens come from the provider itself: on this machine it may be without TLS.
    execute: [enableNonRepudiationChecks, ...(issuer.protocol === "http:" ? [allowInsecureRequests] : [])],
  });
  // The library lets a few well-known providers speak for others; nobody may.
  if (new URL(config.serverMetadata().issuer).href !== issuer.href)
    throw new DiscoveryError("the provider names itself otherwise than the settings do");
  return config;
};

/** A provider, asked about itself when it is first needed, and then once an hour. */
export class Discovery {
  readonly #settings: OutsideProviderSettings;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  #config: Configuration | null = null;
  #freshUntil = Number.NEGATIVE_INFINITY;
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #pending: Promise<Configuration> | null = null;

  /** `timeoutMs`: of each request to it. */
  constructor(settings: OutsideProviderSettings, clock: Clock, timeoutMs: number) {
    this.#settings = settings;
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
  }

  /** Rejects when there is nothing to go by: what was said before counts until the provider says something else. */
  async config(): Promise<Configuration> {
    const now = this.#clock.monotonic();
    if (this.#config !== null && now < Math.max(this.#freshUntil, this.#pausedUntil)) return this.#config;
    if (now < this.#pausedUntil) throw new DiscoveryError("the provider was not available a moment ago");
    this.#pending ??= this.#ask().finally(() => {
      this.#pending = null;
    });
    return this.#pending;
  }

  async #ask(): Promise<Configuration> {
    try {
      this.#config = await discovered(this.#settings, this.#timeoutMs);
      this.#freshUntil = this.#clock.monotonic() + FRESH_MS;
      return this.#config;
    } catch (error) {
      this.#pausedUntil = this.#clock.monotonic() + PAUSE_MS;
      if (this.#config !== null) return this.#config;
      throw error;
    }
  }
}
