import type { Fleet } from "../support/fleet.ts";
import { ROLES } from "../support/fleet.ts";

const AMBIGUOUS = /^log_ambiguous_appends_total(?:\{[^}]*\})? (\d+)$/gm;

/** How often workers have sent an append again whose answer never came, the one thing that may double readings. */
export class Ambiguity {
  readonly #byWorker = new Map<string, number>();

  get appends(): number {
    return [...this.#byWorker.values()].reduce((sum, each) => sum + each, 0);
  }

  /** To be called after each fault: what is killed by the next has its count here already. */
  async look(fleet: Fleet): Promise<void> {
    for (const { url } of ROLES.flatMap((role) => fleet.of(role))) {
      const text = await (await fetch(`${url}/metrics`)).text();
      const appends = [...text.matchAll(AMBIGUOUS)].reduce((sum, [, count]) => sum + Number(count), 0);
      this.#byWorker.set(url, appends);
    }
  }
}
