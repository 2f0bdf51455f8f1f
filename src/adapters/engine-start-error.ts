/**
 * An engine cannot be used, for a reason that whoever runs the service or the engine can mend: the message says what is
 * wrong, where, and what to do. Nothing was changed or deleted.
 */
export abstract class EngineStartError<Problem extends string = string> extends Error {
  /** The name of what is wrong, for log lines and for those who decide by it. */
  readonly problem: Problem;

  constructor(problem: Problem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.problem = problem;
  }
}
