import type { Metrics } from "../ports/telemetry.ts";

export const ingestMetrics = (metrics: Metrics) => ({
  messages: metrics.counter("ingest_messages_total", "Messages received from sources."),
  readings: metrics.counter("ingest_readings_total", "Readings accepted: durable in the log."),
  skipped: metrics.counter("ingest_skipped_total", "Messages, or elements of one, that are of another kind."),
  rejected: metrics.counter("ingest_rejected_total", "What should have mapped to a reading and did not.", [
    "reason",
  ]),
  leaseDoubted: metrics.counter(
    "ingest_lease_doubted_total",
    "Times that sources of this process may have been given to others, as it or the brokers stood still: they wait.",
  ),
  lost: metrics.counter(
    "ingest_source_lost_total",
    "Running sources that another process had taken over while this one stood still: dropped, with what waited.",
  ),
  superseded: metrics.counter(
    "ingest_status_superseded_total",
    "Statuses and places of sources that were not saved, as another process runs the source by now.",
  ),
  reconnects: metrics.counter("ingest_reconnects_total", "Connections of sources opened again."),
  changes: metrics.counter(
    "ingest_signal_changes_total",
    "Signals told to the log ahead of their first block.",
  ),
  blocks: metrics.counter("ingest_blocks_total", "Blocks made durable."),
  blockLines: metrics.gauge("ingest_block_lines", "Lines of the newest durable block.", [], "max"),
  appendSeconds: metrics.histogram("ingest_append_seconds", "From an append of blocks to its being durable."),
  appendFailures: metrics.counter("ingest_append_failures_total", "Appends refused, by why; retried.", [
    "reason",
  ]),
  resolveFailures: metrics.counter(
    "ingest_resolve_failures_total",
    "Look-ups of names that failed; retried.",
  ),
  clockSkew: metrics.gauge(
    "ingest_clock_skew_seconds",
    "How far the log's clock is ahead of this machine's at least; below 0, behind.",
    [],
    "max",
  ),
  inflightBytes: metrics.gauge("ingest_inflight_bytes", "Bytes that wait for the log or for a signal's id."),
  pausedSources: metrics.gauge("ingest_paused_sources", "Sources paused by back-pressure."),
  sources: metrics.gauge("ingest_sources", "Sources this process runs, by state.", ["state"]),
  eventQueue: metrics.gauge("ingest_source_event_queue", "Events of sources that wait for the log."),
  eventsDropped: metrics.counter(
    "ingest_source_events_dropped_total",
    "Events of sources beyond their queue.",
  ),
  abandoned: metrics.counter(
    "ingest_abandoned_readings_total",
    "Readings taken but never accepted, at a stop.",
  ),
  faults: metrics.counter("ingest_faults_total", "Errors that nobody foresaw, contained.", ["where"]),
});
export type IngestMetrics = ReturnType<typeof ingestMetrics>;
