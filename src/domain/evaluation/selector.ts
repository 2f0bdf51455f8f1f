import type { Labels } from "../../../schemas/common.ts";

/** What is named of the signals to take, as an API answers it too. */
interface Selection {
  readonly signalIds?: readonly string[] | undefined;
  readonly labels?: Labels | undefined;
  readonly sourceId?: string | undefined;
}

/** What a selection looks at of a signal. */
export interface Selectable {
  readonly id: string;
  readonly labels: Labels;
  readonly sourceId: string | null;
}

/** A selection made ready for asking: all that it names must match, and one that names nothing takes every signal. */
export class Selector {
  readonly #sourceId: Selection["sourceId"];
  readonly #signalIds: ReadonlySet<string> | null;
  readonly #labels: readonly (readonly [key: string, value: string])[];

  constructor({ signalIds, labels, sourceId }: Selection) {
    this.#sourceId = sourceId;
    this.#signalIds = signalIds === undefined ? null : new Set(signalIds);
    this.#labels = Object.entries(labels ?? {});
  }

  takes({ id, labels, sourceId }: Selectable): boolean {
    if (this.#sourceId !== undefined && this.#sourceId !== sourceId) return false;
    if (this.#signalIds !== null && !this.#signalIds.has(id)) return false;
    return this.#labels.every(([key, value]) => labels[key] === value);
  }
}
