import type { Telemetry } from "../../ports/telemetry.ts";
import type { ControlOptions } from "../control/store.ts";
import type { PostgresLimits } from "./settings.ts";

/** Where the database is and who asks. */
export interface PostgresAccess {
  /** `postgres://user:password@host:port/database?sslmode=…`; its parameters are libpq's. */
  readonly url: string;
  /** Authorities in PEM that the server's certificate must be signed by: the connection is TLS then, whatever the URL says. */
  readonly ca: string | null;
}

export interface PostgresControlOptions extends ControlOptions, PostgresAccess {
  readonly connectionsMax: number;
  readonly limits?: Partial<PostgresLimits>;
  readonly telemetry: Telemetry;
}
