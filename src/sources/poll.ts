import type { HttpPollSettings } from "../../schemas/source.ts";
import { messagesOf } from "../domain/message-lines.ts";
import { retryAfterMs } from "../domain/retry-after.ts";
import type { CursorOf } from "./cursor.ts";
import { durable } from "./durable.ts";
import { failureWords, statusWords } from "./failure-words.ts";
import { type FeedPlace, PLACE_CHARACTERS_MAX, type Places } from "./feed-place.ts";
import type { Gate } from "./gate.ts";
import type { HttpAnswer, HttpEnd } from "./http-end.ts";
import { ACCEPTED_ENCODINGS, readBody, TooLargeError, UnreadableBodyError } from "./poll-answer.ts";
import type { SourceContext } from "./source.ts";

export type PollOutcome =
  | { readonly ok: true; readonly place: FeedPlace }
  | { readonly ok: false; readonly reason: string; readonly retryAfterMs: number | null };

interface PollOptions {
  readonly settings: HttpPollSettings;
  readonly context: SourceContext;
  readonly end: HttpEnd;
  readonly gate: Gate;
  readonly cursorOf: CursorOf;
  readonly saved: Places["save"];
}

class TimedOutError extends Error {
  override readonly name = "TimedOutError";
}

const short = (text: string | undefined): string | undefined =>
  text === undefined || text.length > PLACE_CHARACTERS_MAX ? undefined : text;
const given = (name: string, value: string | undefined): Record<string, string> =>
  value === undefined ? {} : { [name]: value };

/** Asks a feed once, takes what it answers, and says where to go on. */
export class Poll {
  readonly #options: PollOptions;
  readonly #body: string | undefined;

  constructor(options: PollOptions) {
    this.#options = options;
    const { body } = options.settings;
    this.#body = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  }

  /** Resolves once what came is durable; then the place is saved, too. */
  async ask(place: FeedPlace, signal: AbortSignal): Promise<PollOutcome> {
    const { context, saved } = this.#options;
    try {
      const next = await this.#exchange(place, signal);
      if (!("place" in next) || next.place === place) return next;
      await durable(context.clock, context.intake.cut(), signal);
      saved(next.place);
      return next;
    } catch (error) {
      if (error instanceof TooLargeError) context.intake.refused("too_large", error.message);
      return { ok: false, reason: this.#words(error), retryAfterMs: null };
    }
  }

  async #exchange(place: FeedPlace, signal: AbortSignal): Promise<PollOutcome> {
    const { clock, settings } = this.#options.context;
    const { timeoutSeconds } = this.#options.settings;
    const late = new AbortController();
    const cancel = clock.after(timeoutSeconds * 1000, () =>
      late.abort(new TimedOutError(`it did not answer in full within ${timeoutSeconds} s`)),
    );
    try {
      const answer = await this.#call(place, AbortSignal.any([signal, late.signal]));
      const { status, header } = answer;
      const asked = retryAfterMs(header("retry-after"), clock.now());
      if (status === 304) {
        answer.body.resume();
        return { ok: true, place };
      }
      if (status < 200 || status > 299) {
        answer.body.destroy();
        return { ok: false, reason: statusWords(status), retryAfterMs: asked };
      }
      const body = await readBody(answer.body, header("content-encoding"), settings.maxPayloadBytes);
      cancel();
      return { ok: true, place: await this.#take(body, answer, place, signal) };
    } finally {
      cancel();
    }
  }

  #call(place: FeedPlace, signal: AbortSignal): Promise<HttpAnswer> {
    const { settings, end } = this.#options;
    const url = new URL(settings.url);
    if (settings.cursor !== undefined && place.cursor !== undefined) {
      url.searchParams.set(settings.cursor.parameter, place.cursor);
    }
    const ours = {
      "accept-encoding": ACCEPTED_ENCODINGS,
      accept: "application/json, application/x-ndjson, */*;q=0.5",
      ...given("if-none-match", place.etag),
      ...given("if-modified-since", place.etag === undefined ? place.lastModified : undefined),
      ...(typeof settings.body === "object" ? { "content-type": "application/json" } : {}),
    };
    const { method, headers } = settings;
    return end.call({ url, method, headers, ours, body: this.#body, signal });
  }

  /** Takes every message of a body that is here in whole, also when the source is to stop, unless it is held back. */
  async #take(
    body: Buffer,
    { header }: HttpAnswer,
    place: FeedPlace,
    signal: AbortSignal,
  ): Promise<FeedPlace> {
    const { context, gate, cursorOf } = this.#options;
    const { flow, intake } = context;
    let { cursor } = place;
    if (body.length > 0) {
      for (const message of messagesOf(body, header("content-type"))) {
        if (flow.paused && (flow.isHeldBack || !signal.aborted)) await gate.passed(signal);
        flow.spend(message.length);
        intake.receive(message, false);
        cursor = cursorOf(message) ?? cursor;
      }
    }
    // Where the cursor moves, the next address is another one, of which nothing is known yet.
    if (cursor !== place.cursor) return given("cursor", cursor);
    return {
      ...given("cursor", cursor),
      ...given("etag", short(header("etag"))),
      ...given("lastModified", short(header("last-modified"))),
    };
  }

  #words(error: unknown): string {
    const own = error instanceof TimedOutError || error instanceof UnreadableBodyError;
    if (own) return error.message;
    if (error instanceof TooLargeError) return `it sent ${error.message}`;
    return `calling ${new URL(this.#options.settings.url).host}: ${failureWords(error)}`;
  }
}
