import { SourceState } from "../../schemas/source.ts";
import type { BackPressure } from "../intake/back-pressure.ts";
import type { IngestMetrics } from "../intake/metrics.ts";
import type { Saved } from "../intake/status-saver.ts";

/** Sets the gauges of what is so now: sources by state, and what waits. */
export const stateGauges = (
  metrics: IngestMetrics,
  pressure: BackPressure,
  sources: Iterable<Saved>,
): void => {
  const counts = new Map<SourceState, number>(SourceState.options.map((state) => [state, 0]));
  for (const { ledger } of sources) counts.set(ledger.state, (counts.get(ledger.state) ?? 0) + 1);
  for (const [state, count] of counts) metrics.sources.set(count, { state });
  metrics.pausedSources.set(counts.get("paused") ?? 0);
  metrics.inflightBytes.set(pressure.bytes);
};
