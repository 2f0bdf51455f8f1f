import { INTAKE_DEFAULTS, type IntakeSettings } from "../intake/settings.ts";
import { CONNECTION_DEFAULTS, type ConnectionSettings } from "../sources/source.ts";

/** What the environment says to ingest, parsed by src/config. */
export interface IngestSettings extends ConnectionSettings, IntakeSettings {}

export const INGEST_DEFAULTS: IngestSettings = {
  ...INTAKE_DEFAULTS,
  ...CONNECTION_DEFAULTS,
};
