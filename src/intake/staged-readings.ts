import type { Labels } from "../../schemas/common.ts";
import type { AbsentNames } from "./absent-names.ts";
import type { Lines, Names } from "./intake.ts";
import type { Contributor } from "./open-block.ts";
import type { AccountSignals, SignalRef } from "./signal-cache.ts";
import type { NewReading, Origin, WaitingReading } from "./waiting-readings.ts";

/** Told of readings whose name means no signal. */
export type RejectName = (name: string, reading: WaitingReading) => void;

interface Staged {
  readonly signal: SignalRef;
  readonly atMs: number;
  readonly strength: number;
  readonly contributor: Contributor;
}
interface Unnamed {
  readonly labels: Labels;
  readonly readings: WaitingReading[];
}

/**
 * The readings of one request, held back until every name is resolved: then all of them go on together, or none, so
 * that a request which fails has left nothing behind.
 */
export class StagedReadings implements Names, Lines {
  readonly #known: AccountSignals;
  readonly #absent: AbsentNames;
  readonly #reject: RejectName;
  readonly #ready: Staged[] = [];
  readonly #unnamed = new Map<string, Unnamed>();

  constructor(known: AccountSignals, absent: AbsentNames, reject: RejectName) {
    this.#known = known;
    this.#absent = absent;
    this.#reject = reject;
  }

  /** Not before others of its name that wait. */
  find(name: string): SignalRef | undefined {
    return this.#unnamed.has(name) ? undefined : this.#known.get(name);
  }

  findBytes(bytes: Uint8Array, start: number, end: number): SignalRef | undefined {
    return this.#unnamed.size > 0 ? undefined : this.#known.getBytes(bytes, start, end);
  }

  write(signal: SignalRef, atMs: number, strength: number, contributor: Contributor): void {
    this.#ready.push({ signal, atMs, strength, contributor });
  }

  wait(name: string, reading: NewReading, origin: Origin): void {
    const waiting = { ...reading, kept: origin.kept() };
    if (this.#absent.has(name)) {
      this.#refuse(name, [waiting]);
      return;
    }
    const unnamed = this.#unnamed.get(name);
    if (unnamed === undefined) this.#unnamed.set(name, { labels: origin.labels(), readings: [waiting] });
    else unnamed.readings.push(waiting);
  }

  /** Names that are not resolved yet, with the labels that a signal gets if it is made. */
  names(): Map<string, Labels> {
    return new Map([...this.#unnamed].map(([name, { labels }]) => [name, labels]));
  }

  resolved(name: string, signal: SignalRef): void {
    const readings = this.#take(name);
    for (const { atMs, strength, receipt } of readings) this.write(signal, atMs, strength, receipt);
  }

  /** The name means no signal, and is not asked for again for a while. */
  unresolved(name: string): void {
    this.#absent.add(name);
    this.#refuse(name, this.#take(name));
  }

  /** All at once, in one turn of the event loop. */
  writeTo(lines: Lines): void {
    for (const { signal, atMs, strength, contributor } of this.#ready) {
      lines.write(signal, atMs, strength, contributor);
    }
    this.#ready.length = 0;
  }

  #take(name: string): readonly WaitingReading[] {
    const readings = this.#unnamed.get(name)?.readings ?? [];
    this.#unnamed.delete(name);
    return readings;
  }

  #refuse(name: string, readings: readonly WaitingReading[]): void {
    for (const reading of readings) {
      this.#reject(name, reading);
      reading.receipt.rejected();
    }
  }
}
