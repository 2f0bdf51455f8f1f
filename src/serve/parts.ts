import type { ControlStore } from "../ports/control-store.ts";
import type { EventLog } from "../ports/event-log.ts";
import type { Surroundings } from "../ports/surroundings.ts";
import type { TimeSeries } from "../ports/time-series.ts";
import type { Health } from "../ports/worker.ts";
import type { EventFeed } from "./event-feed.ts";
import type { KnownKeys } from "./known-keys.ts";
import type { LiveScales } from "./live-scales.ts";
import type { LiveValues } from "./live-values.ts";
import type { Probes } from "./probes.ts";
import type { ServeLimits, ServeSettings } from "./settings.ts";
import type { Settle } from "./settle.ts";
import type { StreamHub } from "./stream/stream-hub.ts";
import type { StreamTickets } from "./stream/stream-tickets.ts";

/** What routes work with; each takes the few it needs. */
export interface Parts extends Surroundings {
  readonly log: EventLog;
  readonly control: ControlStore;
  readonly timeSeries: TimeSeries;
  readonly settings: ServeSettings;
  readonly limits: ServeLimits;
  readonly keys: KnownKeys;
  readonly settle: Settle;
  readonly live: LiveValues;
  readonly scales: LiveScales;
  readonly feed: EventFeed;
  readonly probes: Probes;
  readonly hub: StreamHub;
  readonly tickets: StreamTickets;
  readonly health: () => Health[];
}
