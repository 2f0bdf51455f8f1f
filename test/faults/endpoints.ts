import { z } from "zod";
import type { SignalServiceEvent } from "../../schemas/event.ts";
import type { Fleet } from "../support/fleet.ts";
import { asked } from "../support/postgres.ts";
import type { Stack } from "../support/stack.ts";
import { until } from "../support/until.ts";
import type { Check } from "./checks.ts";
import { Endpoint } from "./endpoint.ts";

const DELIVERED_MAX_MS = 120_000;
const KINDS = [["signal.failed", "signal.updated"], ["signal.created"]];
const WithId = z.object({ id: z.string() });

interface Registered {
  readonly id: string;
  readonly kinds: readonly string[];
  readonly endpoint: Endpoint;
}

/** Webhooks whose endpoints always answer: what does not arrive, or not once, is the service's doing. */
export class Endpoints {
  readonly #all: Registered[] = [];

  /** Before anything happens, so that they get all of it. */
  async register(fleet: Fleet): Promise<void> {
    for (const events of KINDS) {
      const endpoint = await Endpoint.start();
      const { id } = await fleet
        .api()
        .expect(WithId, "POST", "/v1/integrations/webhooks", { url: endpoint.url, events });
      this.#all.push({ id, kinds: events, endpoint });
    }
  }

  /** Once nothing happens any more. `told`: every page of `GET /v1/events`. */
  async check({ postgres }: Stack, told: readonly SignalServiceEvent[]): Promise<Check[]> {
    const url = postgres.url();
    await until(
      "every delivery to be made and sent",
      async () => {
        const rows = await asked<{ status: string; rows: number }>(
          url,
          "select status, count(*)::int as rows from delivery group by status",
        );
        return rows.every(({ status }) => status === "delivered") && rows.length > 0;
      },
      DELIVERED_MAX_MS,
    );
    const checks: Check[] = [];
    for (const { id, kinds, endpoint } of this.#all) {
      const rows = await asked<{ event_id: string }>(
        url,
        `select event_id from delivery where webhook_id = '${id}'`,
      );
      const made = new Set(rows.map(({ event_id }) => event_id));
      const wanted = told.filter(({ event }) => kinds.includes(event));
      const missing = wanted.filter((event) => !made.has(event.id) || !endpoint.times.has(event.id)).length;
      checks.push({
        what: `one delivery for each ${kinds.join(" and ")}, and each arrived`,
        holds: missing === 0 && made.size === wanted.length && rows.length === made.size && made.size > 0,
        figures: `${wanted.length} events, ${rows.length} deliveries, ${missing} missing, ${endpoint.repeats} requests repeated`,
      });
    }
    return checks;
  }

  stop(): void {
    for (const { endpoint } of this.#all) endpoint.stop();
  }
}
