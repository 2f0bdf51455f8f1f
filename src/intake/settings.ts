/** What is set for the way of readings into the log. */
export interface IntakeSettings {
  /** Readings older than this are refused, as they would be deleted at once; null = any age. */
  readonly retentionRawDays: number | null;
  /** What may wait for the log or for a signal's id before every source is paused; all are resumed at half of it. */
  readonly inflightBytesMax: number;
  /** Names of an account whose signals are remembered. */
  readonly resolvedNamesMax: number;
}

export const INTAKE_DEFAULTS: IntakeSettings = {
  retentionRawDays: null,
  inflightBytesMax: 32 * 1024 * 1024,
  resolvedNamesMax: 1_000_000,
};
