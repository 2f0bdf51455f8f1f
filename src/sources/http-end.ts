import type { Readable } from "node:stream";
import { Agent, type Dispatcher } from "undici";
import { addressProblem, guardedLookup, literalAddress } from "./address-guard.ts";
import type { ConnectionSettings } from "./source.ts";

const CONNECT_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 60_000;
/** A dead peer is noticed by TCP itself, also on a stream that says nothing. */
const PROBE_AFTER_MS = 20_000;
const USER_AGENT = "Signal-Optimization-Service";

export interface HttpCall {
  readonly url: URL;
  readonly method: "GET" | "POST";
  /** Those of the settings, over ours. */
  readonly headers: Readonly<Record<string, string>>;
  readonly ours: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
}
export interface HttpAnswer {
  readonly status: number;
  /** By its name in small letters; the first, where there are several. */
  readonly header: (name: string) => string | undefined;
  readonly body: Readable;
}

const merged = ({ headers, ours }: HttpCall): Record<string, string> => {
  const given = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const { "accept-encoding": encoding = "identity", ...defaults } = ours;
  return {
    "user-agent": USER_AGENT,
    ...defaults,
    ...Object.fromEntries(given),
    // What we can read is not for the settings to say.
    "accept-encoding": encoding,
  };
};

/**
 * The far end of a source that speaks HTTP. Its address is checked when a connection is made, which goes to the checked
 * address and to no other; redirects are not followed.
 */
export class HttpEnd {
  readonly #agent: Agent;

  constructor({ allowPrivate, lookup }: ConnectionSettings) {
    this.#agent = new Agent({
      connect: {
        lookup: guardedLookup(allowPrivate, lookup),
        timeout: CONNECT_TIMEOUT_MS,
        keepAliveInitialDelay: PROBE_AFTER_MS,
      },
      connections: 1,
      allowH2: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // The source's own deadlines say more.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  /** Why this address is never called, in words; null where it may be, or where its name must be resolved first. */
  static problem(url: string, { allowPrivate }: ConnectionSettings): string | null {
    const literal = literalAddress(new URL(url));
    return literal === null ? null : addressProblem(literal, allowPrivate);
  }

  /** Rejects for what failureWords knows to say. */
  async call(call: HttpCall): Promise<HttpAnswer> {
    const { url, method, body, signal } = call;
    const answer = await this.#agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: method satisfies Dispatcher.HttpMethod,
      headers: merged(call),
      signal,
      ...(body === undefined ? {} : { body }),
    });
    const header = (name: string) => [answer.headers[name] ?? []].flat()[0];
    // What is left unread is destroyed, which is an error event that nobody waits for.
    answer.body.on("error", () => undefined);
    return { status: answer.statusCode, header, body: answer.body };
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}
