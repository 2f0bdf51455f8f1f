import type { z } from "zod";
import { SignalServiceEvent } from "../../schemas/event.ts";
import { type ApiClient, createClient } from "../../src/client/client.ts";
import type { paths } from "../../src/client/generated.ts";
import { each } from "../../src/client/pages.ts";
import { until } from "./until.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

type EventsAsked = Omit<NonNullable<paths["/v1/events"]["get"]["parameters"]["query"]>, "limit" | "cursor">;

/** The API for tests: `client` as programs use it but without retries, `call` and `expect` for answers as they are. */
export class Api {
  readonly url: string;
  readonly client: ApiClient;
  readonly #apiKey: string;

  constructor(url: string, apiKey: string) {
    this.url = url;
    this.#apiKey = apiKey;
    this.client = createClient({ url, apiKey, retries: 0 });
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

  /** Every event of the account, page by page, each checked against the contract. */
  async events(query: EventsAsked = {}): Promise<SignalServiceEvent[]> {
    const events: SignalServiceEvent[] = [];
    const page = (start: object) =>
      this.client.get("/v1/events", { params: { query: { ...query, limit: 500, ...start } } });
    for await (const one of each(page, (got) => got.events)) events.push(SignalServiceEvent.parse(one));
    return events;
  }

  /** How many readings of a signal ClickHouse has, by the sum of its hourly buckets. */
  async storedReadings(signalId: string, from: string, to: string): Promise<number> {
    const params = { path: { id: signalId }, query: { from, to, step: "1h", limit: 500 } } as const;
    const history = await this.client.get("/v1/signals/{id}/readings", { params });
    if (!("buckets" in history)) throw new Error("asked for hours, got single readings");
    return history.buckets.reduce((sum, { count }) => sum + count, 0);
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
      async () => (await this.client.get("/v1/status")).stages.every(({ lag }) => lag === 0),
      timeoutMs,
    );
  }
}
