import type { BackPressure, Place } from "../intake/back-pressure.ts";
import type { SourceLedger } from "../intake/source-ledger.ts";
import type { Clock } from "../ports/clock.ts";
import type { Flow, Valve } from "../sources/source.ts";
import type { SourceLease } from "./source-lease.ts";

export type FlowLease = Pick<SourceLease, "isHeld" | "onHeld">;

/** One source may work through this much, and for so long, in one turn of the event loop; then the others have theirs. */
const TURN_BYTES = 256 * 1024;
const TURN_MS = 10;
/** A message costs at least as much as one of so many bytes: a frame of two may be empty. */
const MESSAGE_BYTES_MIN = 64;

const PRESSURE = 1;
const NAMES = 2;
const TURN = 4;
const DOUBT = 8;
const NAMES_REASON = "its signals' names wait for control data";

/**
 * Opens and closes a source's valve: for back-pressure, for its own waiting names, for its turn, and while it is in
 * doubt whether the source is still this process's.
 */
export class SourceFlow implements Flow {
  readonly #pressure: BackPressure;
  readonly #lease: FlowLease;
  readonly #ledger: SourceLedger;
  readonly #announce: (paused: boolean) => void;
  readonly #place: Place;
  readonly #forget: () => void;
  #valve: Valve | null = null;
  #held = 0;
  readonly #clock: Clock;
  #turnBytes = 0;
  #turnBegan = 0;
  #turnEnds = false;

  /** `announce` is told when the source stops and starts flowing, turns and doubts apart. */
  constructor(options: {
    pressure: BackPressure;
    lease: FlowLease;
    ledger: SourceLedger;
    clock: Clock;
    announce: (paused: boolean) => void;
  }) {
    this.#pressure = options.pressure;
    this.#lease = options.lease;
    this.#ledger = options.ledger;
    this.#announce = options.announce;
    this.#clock = options.clock;
    this.#place = this.#pressure.join(() => this.#set(PRESSURE, this.#pressure.paused));
    this.#forget = this.#lease.onHeld(() => this.#set(DOUBT, false));
    this.#set(PRESSURE, this.#pressure.paused);
  }

  get paused(): boolean {
    // Asked once in a turn: a process that stands still within one finds its turn over.
    if (!this.#turnEnds) this.#doubt();
    return this.#held !== 0;
  }

  /** Whether it waits for more than its turn. */
  get isHeldBack(): boolean {
    this.#doubt();
    return (this.#held & ~TURN) !== 0;
  }

  get isInDoubt(): boolean {
    return !this.#lease.isHeld;
  }

  /** The valve of the connection that is open now. */
  attach(valve: Valve): void {
    this.#valve = valve;
    if (this.paused) valve.pause();
  }

  detach(): void {
    this.#valve = null;
  }

  /** Counts a message that the source is about to work through; beyond its share it waits for the next turn. */
  spend(bytes: number): void {
    const now = this.#clock.monotonic();
    this.#place.took();
    this.#turnBytes += Math.max(bytes, MESSAGE_BYTES_MIN);
    if (!this.#turnEnds) {
      this.#turnEnds = true;
      this.#turnBegan = now;
      setImmediate(() => this.#nextTurn());
    }
    if (this.#turnBytes > TURN_BYTES || now - this.#turnBegan > TURN_MS) this.#set(TURN, true);
  }

  namesWait(tooMany: boolean): void {
    this.#set(NAMES, tooMany);
  }

  stop(): void {
    this.#place.leave();
    this.#forget();
    this.#valve = null;
    this.#set(PRESSURE | NAMES, false);
  }

  /** Resolves once the source is without doubt this process's, or the signal aborts. */
  ours(signal: AbortSignal): Promise<void> {
    if (signal.aborted || !this.isInDoubt) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const forget = this.#lease.onHeld(resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
    return promise.finally(forget);
  }

  #doubt(): void {
    if ((this.#held & DOUBT) === 0 && this.isInDoubt) this.#set(DOUBT, true);
  }

  #nextTurn(): void {
    this.#turnEnds = false;
    this.#turnBytes = 0;
    this.#set(TURN, false);
  }

  #set(reason: number, held: boolean): void {
    const before = this.#held;
    this.#held = held ? before | reason : before & ~reason;
    if (before === 0 && this.#held !== 0) this.#valve?.pause();
    if (before !== 0 && this.#held === 0) this.#valve?.resume();
    if (reason === TURN || reason === DOUBT) return;
    const announced = TURN | DOUBT;
    const paused = (this.#held & ~announced) !== 0;
    this.#ledger.pausedBecause(paused ? (this.#pressure.reason ?? NAMES_REASON) : null);
    if (paused !== ((before & ~announced) !== 0)) this.#announce(paused);
  }
}
