import type { SourceId } from "../../schemas/common.ts";
import type { IngestMetrics } from "../intake/metrics.ts";
import type { SourceStatus, Sources } from "../ports/control-store.ts";
import type { Logger } from "../ports/telemetry.ts";
import type { SourceLease } from "./source-lease.ts";

type ClaimLease = Pick<SourceLease, "isSure">;
interface Claim {
  readonly lease: ClaimLease;
  generation: number;
  isTold: boolean;
}

export interface SourceClaimsOptions {
  readonly sources: Sources;
  readonly logger: Logger;
  readonly metrics: IngestMetrics;
}

/**
 * Writes what this process says of the sources it runs, for as long as no other has begun to run them: one that wakes
 * from a standstill would overwrite what is so by what was.
 */
export class SourceClaims {
  readonly #options: SourceClaimsOptions;
  readonly #claims = new Map<SourceId, Claim>();

  constructor(options: SourceClaimsOptions) {
    this.#options = options;
  }

  /** Begins to speak for the source; gives what was said of it before. Rejects while it may be another's. */
  async claim(id: SourceId, lease: ClaimLease): Promise<SourceStatus | null> {
    if (!lease.isSure) throw new Error("the source may be another process's");
    const claimed = await this.#options.sources.claim(id);
    this.#claims.set(id, { lease, generation: claimed?.generation ?? 0, isTold: false });
    return claimed?.status ?? null;
  }

  saveStatus(id: SourceId, status: SourceStatus): Promise<void> {
    const { sources } = this.#options;
    return this.#save(id, (generation) => sources.saveStatus(id, status, generation));
  }

  savePosition(id: SourceId, position: string): Promise<void> {
    const { sources } = this.#options;
    return this.#save(id, (generation) => sources.savePosition(id, position, generation));
  }

  drop(id: SourceId): void {
    this.#claims.delete(id);
  }

  async #save(id: SourceId, save: (generation: number) => Promise<boolean>): Promise<void> {
    const claim = this.#claims.get(id);
    if (claim === undefined || (await save(claim.generation))) return;
    // Who claimed it with a request from before a standstill has no right to it, and never asks again.
    if (claim.lease.isSure) {
      claim.generation = (await this.#options.sources.claim(id))?.generation ?? 0;
      if (await save(claim.generation)) return;
    }
    this.#options.metrics.superseded.add(1);
    if (!claim.isTold) this.#options.logger.warn({ sourceId: id }, "ingest_status_superseded");
    claim.isTold = true;
  }
}
