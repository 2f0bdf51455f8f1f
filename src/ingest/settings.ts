/** What the environment says to ingest, parsed by src/config. */
export interface IngestSettings {
  /** False refuses sources on private networks; link-local addresses are refused in any case. */
  readonly allowPrivate: boolean;
  /** A larger message is rejected as `too_large`, and the connection opened anew. */
  readonly maxPayloadBytes: number;
  /** Readings older than this are refused, as they would be deleted at once; null = any age. */
  readonly retentionRawDays: number | null;
  /** What may wait for the log or for a signal's id before every source is paused; all are resumed at half of it. */
  readonly inflightBytesMax: number;
  /** Names of an account whose signals are remembered. */
  readonly resolvedNamesMax: number;
}

export const INGEST_DEFAULTS: IngestSettings = {
  allowPrivate: true,
  maxPayloadBytes: 1024 * 1024,
  retentionRawDays: null,
  inflightBytesMax: 32 * 1024 * 1024,
  resolvedNamesMax: 1_000_000,
};
