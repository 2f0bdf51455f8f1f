import type { SourceId } from "../../../schemas/common.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Sources, StoredSource } from "../../ports/control-store.ts";

/** Below the 2 s within which a change takes effect everywhere. */
const KNOWN_MS = 1_000;
const SOURCES_MAX = 10_000;

/** Finds sources, remembering each for a second: a sender may push hundreds of times in it. */
export class PushSources {
  readonly #sources: Sources;
  readonly #clock: Clock;
  readonly #known = new Map<SourceId, { source: StoredSource; until: number }>();

  constructor(sources: Sources, clock: Clock) {
    this.#sources = sources;
    this.#clock = clock;
  }

  async find(id: SourceId): Promise<StoredSource | null> {
    const known = this.#known.get(id);
    if (known !== undefined && known.until > this.#clock.monotonic()) return known.source;
    const asked = this.#clock.monotonic();
    const source = await this.#sources.find(id);
    this.#known.delete(id);
    if (source === null) return null;
    const oldest = this.#known.keys().next();
    if (this.#known.size >= SOURCES_MAX && oldest.done !== true) this.#known.delete(oldest.value);
    this.#known.set(id, { source, until: asked + KNOWN_MS });
    return source;
  }

  forget(id: SourceId): void {
    this.#known.delete(id);
  }
}
