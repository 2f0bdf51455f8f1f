import type { BackPressure } from "../intake/back-pressure.ts";
import type { BlockWriter } from "../intake/block-writer.ts";
import type { FlowAnnouncer } from "../intake/flow-announcer.ts";
import type { IngestMetrics } from "../intake/metrics.ts";
import type { SignalCache } from "../intake/signal-cache.ts";
import type { StatusSaver } from "../intake/status-saver.ts";
import type { Clock, Entropy } from "../ports/clock.ts";
import type { Signals, Sources } from "../ports/control-store.ts";
import type { Logger } from "../ports/telemetry.ts";
import type { IngestSettings } from "./settings.ts";
import type { SourceClaims } from "./source-claims.ts";
import type { SourceEvents } from "./source-events.ts";

/** What all sources of a process share. */
export interface IngestContext {
  readonly signals: Signals;
  readonly sources: Sources;
  readonly settings: IngestSettings;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly logger: Logger;
  readonly metrics: IngestMetrics;
  /** Of topic `readings`. */
  readonly partitions: number;
  readonly pressure: BackPressure;
  readonly writer: BlockWriter;
  readonly cache: SignalCache;
  readonly announcer: FlowAnnouncer;
  readonly events: SourceEvents;
  readonly claims: SourceClaims;
  readonly saver: StatusSaver;
}
