import type { HandshakeStep } from "../../../schemas/source.ts";
import { type CompiledPath, compilePath } from "../../domain/mapping/path.ts";
import type { Clock } from "../../ports/clock.ts";

type Matches = (text: string) => boolean;

const selects = (path: CompiledPath, text: string): boolean => {
  try {
    return path.first(JSON.parse(text)) !== undefined;
  } catch {
    return false;
  }
};

/** A JSONPath that must select something, or a text that must be in the message. Throws PathError. */
export const compileExpectation = (expect: string): Matches => {
  if (!expect.startsWith("$")) return (text) => text.includes(expect);
  const path = compilePath(expect);
  return (text) => selects(path, text);
};

export interface HandshakeEnds {
  send(text: string): void;
  done(): void;
  failed(reason: string): void;
}

/** Goes through the steps of a source's handshake, one after the other. */
export class Handshake {
  readonly #steps: readonly HandshakeStep[];
  readonly #clock: Clock;
  readonly #ends: HandshakeEnds;
  #at = 0;
  #matches: Matches | null = null;
  #cancelTimeout: () => void = () => undefined;

  constructor(steps: readonly HandshakeStep[], clock: Clock, ends: HandshakeEnds) {
    this.#steps = steps;
    this.#clock = clock;
    this.#ends = ends;
  }

  /** Goes on to the next step that waits, or to the end. */
  proceed(): void {
    let step = this.#steps[this.#at];
    while (step !== undefined && "send" in step) {
      this.#ends.send(typeof step.send === "string" ? step.send : JSON.stringify(step.send));
      step = this.#steps[++this.#at];
    }
    if (step === undefined) this.#ends.done();
    else this.#expect(step);
  }

  /** Whether the message is the one expected: then it is used up. All others are for the mapping. */
  offer(text: () => string): boolean {
    if (this.#matches === null || !this.#matches(text())) return false;
    this.stop();
    this.#at++;
    this.proceed();
    return true;
  }

  stop(): void {
    this.#matches = null;
    this.#cancelTimeout();
  }

  #expect(step: Extract<HandshakeStep, { expect: string }>): void {
    this.#matches = compileExpectation(step.expect);
    const number = this.#at + 1;
    this.#cancelTimeout = this.#clock.after(step.timeoutSeconds * 1000, () => {
      this.#matches = null;
      this.#ends.failed(
        `handshake step ${number}: no message with ${step.expect} came within ${step.timeoutSeconds} s`,
      );
    });
  }
}
