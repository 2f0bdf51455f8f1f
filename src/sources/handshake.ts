import type { HandshakeStep } from "../../schemas/source.ts";
import { type CompiledPath, compilePath } from "../domain/mapping/path.ts";
import type { Clock } from "../ports/clock.ts";
import { farWords } from "./far-words.ts";
import type { StepOutcome } from "./source.ts";

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
  stepped?(outcome: StepOutcome): void;
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
  /** What is left of the time for the step that waits, and since when it runs; null: it stands still. */
  #leftMs = 0;
  #since: number | null = null;
  #isDeaf = false;
  #said: string | null = null;
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
      this.#stepped(null, true, null);
      step = this.#steps[++this.#at];
    }
    if (step === undefined) this.#ends.done();
    else this.#expect(step);
  }

  /** Whether the message is the one expected: then it is used up. All others are for the mapping. */
  offer(text: () => string): boolean {
    if (this.#matches === null) return false;
    const said = text();
    if (!this.#matches(said)) {
      this.#said = said;
      return false;
    }
    this.#said = null;
    this.stop();
    const step = this.#steps[this.#at];
    if (step !== undefined && "expect" in step) this.#stepped(step.expect, true, said);
    this.#at++;
    this.proceed();
    return true;
  }

  /** The connection has ended: what that means now; null once every step is done. */
  ended(): string | null {
    const step = this.#steps[this.#at];
    if (this.#matches === null || step === undefined || !("expect" in step)) return null;
    this.#stepped(step.expect, false, this.#said);
    return `handshake step ${this.#at + 1} waited for ${step.expect}${this.#instead()}`;
  }

  #stepped(expect: string | null, ok: boolean, said: string | null): void {
    const came = said === null ? null : farWords(said, this.#steps);
    this.#ends.stepped?.({ step: this.#at + 1, expect, ok, came });
  }

  #instead(): string {
    return this.#said === null ? "" : `; what came last: ${farWords(this.#said, this.#steps)}`;
  }

  stop(): void {
    this.#matches = null;
    this.#since = null;
    this.#cancelTimeout();
  }

  /** Nothing is read from the far end for now: that is no silence of its own. */
  deaf(): void {
    this.#isDeaf = true;
    if (this.#since === null) return;
    this.#leftMs -= this.#clock.monotonic() - this.#since;
    this.#since = null;
    this.#cancelTimeout();
  }

  hearing(): void {
    this.#isDeaf = false;
    if (this.#matches !== null && this.#since === null) this.#count();
  }

  #expect(step: Extract<HandshakeStep, { expect: string }>): void {
    this.#matches = compileExpectation(step.expect);
    this.#leftMs = step.timeoutSeconds * 1000;
    if (!this.#isDeaf) this.#count();
  }

  #count(): void {
    this.#since = this.#clock.monotonic();
    this.#cancelTimeout = this.#clock.after(Math.max(0, this.#leftMs), () => this.#timedOut());
  }

  #timedOut(): void {
    const step = this.#steps[this.#at];
    this.stop();
    if (step === undefined || !("expect" in step)) return;
    this.#stepped(step.expect, false, this.#said);
    const waited = `no message with ${step.expect} came within ${step.timeoutSeconds} s`;
    this.#ends.failed(`handshake step ${this.#at + 1}: ${waited}${this.#instead()}`);
  }
}
