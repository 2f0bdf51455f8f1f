import { INTAKE_DEFAULTS, type IntakeSettings } from "../intake/settings.ts";
import type { ConnectionSettings } from "../sources/source.ts";

/** What the environment says to ingest, parsed by src/config. */
export interface IngestSettings extends ConnectionSettings, IntakeSettings {}

export const INGEST_DEFAULTS: IngestSettings = {
  ...INTAKE_DEFAULTS,
  allowPrivate: true,
  maxPayloadBytes: 1024 * 1024,
};
