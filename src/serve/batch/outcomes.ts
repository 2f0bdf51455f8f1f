import type { BatchAnswer, BatchError, BatchResult } from "../../../schemas/batch.ts";
import { ProblemError } from "../problem.ts";

type Done = Pick<BatchResult, "signal" | "accepted" | "analysis">;

const errorOf = ({ code, detail, errors }: ProblemError): BatchError => ({
  code,
  detail,
  ...(errors === undefined ? {} : { errors: [...errors] }),
});

/** `operations.3.name`: where in the batch a mistake is. */
const placed = (index: number, { detail, errors }: BatchError) =>
  (errors ?? [{ path: "", message: detail }]).map(({ path, message }) => ({
    path: path === "" ? `operations.${index}` : `operations.${index}.${path}`,
    message,
  }));

/** What became of each operation so far. */
export class Outcomes {
  readonly #results: BatchResult[] = [];
  readonly #size: number;

  constructor(size: number, results: readonly BatchResult[] = []) {
    this.#size = size;
    for (const result of results) this.#results[result.index] = result;
  }

  /** Of those operations that have one so far. */
  get results(): BatchResult[] {
    return this.#results.filter((result) => result !== undefined);
  }

  get refused(): number {
    return this.#results.reduce((count, { status }) => count + (status === "error" ? 1 : 0), 0);
  }

  done(index: number, what: Done): void {
    this.#results[index] = { index, status: "ok", ...what };
  }

  refuse(index: number, problem: ProblemError): void {
    this.#results[index] = { index, status: "error", error: errorOf(problem) };
  }

  /** Every error of an atomic batch. */
  refusal(): ProblemError {
    const errors = this.#results.flatMap(({ index, error }) =>
      error === undefined ? [] : placed(index, error),
    );
    const detail = `${this.refused} of ${this.#size} operations are not possible; nothing was done`;
    return new ProblemError("batch_refused", detail, { errors });
  }

  answer(): BatchAnswer {
    const failed = this.refused;
    return { results: this.#results, summary: { ok: this.#size - failed, failed } };
  }
}
