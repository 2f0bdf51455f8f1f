import { z } from "zod";
import type { SignalServiceEvent } from "../../schemas/event.ts";
import { SignalServiceEvent as EventSchema } from "../../schemas/event.ts";
import { until } from "./until.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

const EventsPage = z.object({ events: z.array(EventSchema), nextCursor: z.string().nullable() });
const Lags = z.object({ stages: z.array(z.object({ lag: z.number() })) });

/** A plain HTTP client of the API, for tests: no retries, no interpretation. */
export class Api {
  readonly url: string;
  readonly #apiKey: string;

  constructor(url: string, apiKey: string) {
    this.url = url;
    this.#apiKey = apiKey;
  }

  get authorization(): { Authorization: string } {
    return { Authorization: `Bearer ${this.#apiKey}` };
  }

  get streamUrl(): string {
    return `${this.url.replace(/^http/, "ws")}/v1/stream`;
  }

  async call(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(this.url + path, {
      method,
      headers: {
        ...this.authorization,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = response.headers.get("content-type")?.includes("json");
    return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text };
  }

  /** Calls and checks the answer's shape; fails with the answer's own words otherwise. */
  async expect<T>(schema: z.ZodType<T>, method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.call(method, path, body);
    if (answer.status >= 300)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return schema.parse(answer.body);
  }

  /** Every event of the account, page by page. */
  async events(query = ""): Promise<SignalServiceEvent[]> {
    const events: SignalServiceEvent[] = [];
    let cursor: string | null = null;
    do {
      const at: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const page: z.infer<typeof EventsPage> = await this.expect(
        EventsPage,
        "GET",
        `/v1/events?limit=500${query}${at}`,
      );
      events.push(...page.events);
      cursor = page.nextCursor;
    } while (cursor !== null);
    return events;
  }

  /** How many readings of a signal ClickHouse has, by the sum of its hourly buckets. */
  async storedReadings(signalId: string, from: string, to: string): Promise<number> {
    const Buckets = z.object({ buckets: z.array(z.object({ count: z.number() })) });
    const query = `from=${from}&to=${to}&step=1h&limit=500`;
    const { buckets } = await this.expect(Buckets, "GET", `/v1/signals/${signalId}/readings?${query}`);
    return buckets.reduce((sum, { count }) => sum + count, 0);
  }

  /** Resolves when readings that came after the call were recorded. */
  async recordedMore(): Promise<void> {
    const rows = async () => {
      const text = String((await this.call("GET", "/metrics")).body);
      return Number(/^record_rows_total\{topic="readings"\} (\d+)$/m.exec(text)?.[1] ?? 0);
    };
    const before = await rows();
    await until("readings to be recorded", async () => (await rows()) > before);
  }

  /** Resolves when every stage has done all that stands in the log. */
  async caughtUp(timeoutMs: number): Promise<void> {
    await until(
      "every stage to have caught up",
      async () => (await this.expect(Lags, "GET", "/v1/status")).stages.every(({ lag }) => lag === 0),
      timeoutMs,
    );
  }
}
