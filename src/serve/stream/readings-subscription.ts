import type { AccountId } from "../../../schemas/common.ts";
import type { ReadingsSelection } from "../../../schemas/stream.ts";
import type { Counter } from "../../ports/telemetry.ts";
import type { Connection } from "./connection.ts";
import { type ReadingFrames, shownOf, type Told } from "./frames.ts";
import { chooseSignals, type SignalChoice } from "./reading-selection.ts";
import type { StreamParts } from "./stream-parts.ts";

const FRAME_READINGS = 1_000;

interface ReadingsOptions {
  readonly parts: StreamParts;
  readonly connection: Connection;
  readonly accountId: AccountId;
  readonly selection: ReadingsSelection;
  readonly frames: ReadingFrames;
  /** Counts values that a newer one replaced before they were sent. */
  readonly conflated: Counter;
}

/**
 * Sends the newest values of the chosen signals, at most `maxPerSecond` a signal. What waits is a set of ids: a slow
 * peer gets the newest value later, and nothing ever queues.
 */
export class ReadingsSubscription {
  readonly #options: ReadingsOptions;
  readonly #intervalMs: number;
  readonly #dirty = new Set<string>();
  #choice: SignalChoice | null = null;
  #unlisten: () => void = () => undefined;
  #cancelTimer: (() => void) | null = null;
  #notBefore = Number.NEGATIVE_INFINITY;
  #isStopped = false;

  constructor(options: ReadingsOptions) {
    this.#options = options;
    this.#intervalMs = 1_000 / options.selection.maxPerSecond;
  }

  /** Finds the signals; nothing is sent before `begin`. */
  async prepare(): Promise<void> {
    const { parts, accountId, selection } = this.#options;
    const choice = await chooseSignals(parts, accountId, selection, (ids) => this.#changed(ids));
    if (this.#isStopped) choice.stop();
    else this.#choice = choice;
  }

  /** A snapshot of the newest values, then what changes. */
  begin(): void {
    const { parts, accountId } = this.#options;
    if (this.#isStopped) return;
    this.#unlisten = parts.live.listen(accountId, (ids) => this.#changed(ids));
    this.#changed(this.#choice?.ids() ?? []);
  }

  /** Sends what waits, as far as time and the peer allow. */
  pump(): void {
    const { clock } = this.#options.parts;
    if (this.#isStopped || this.#dirty.size === 0 || this.#cancelTimer !== null) return;
    const waitMs = this.#notBefore - clock.monotonic();
    if (waitMs > 0) {
      this.#cancelTimer = clock.after(Math.ceil(waitMs), () => {
        this.#cancelTimer = null;
        this.pump();
      });
      return;
    }
    this.#notBefore = clock.monotonic() + this.#intervalMs;
    while (this.#dirty.size > 0 && this.#options.connection.isWritable) this.#sendSome();
  }

  stop(): void {
    this.#isStopped = true;
    this.#unlisten();
    this.#choice?.stop();
    this.#cancelTimer?.();
    this.#dirty.clear();
  }

  #changed(ids: Iterable<string>): void {
    let again = 0;
    for (const id of ids) {
      if (this.#choice?.has(id) !== true) continue;
      if (this.#dirty.has(id)) again++;
      else this.#dirty.add(id);
    }
    if (again > 0) this.#options.conflated.add(again);
    this.pump();
  }

  #sendSome(): void {
    const { connection, frames } = this.#options;
    const told: Told[] = [];
    for (const id of this.#dirty) {
      this.#dirty.delete(id);
      const one = this.#toldOf(id);
      if (one !== null) told.push(one);
      if (told.length === FRAME_READINGS) break;
    }
    if (told.length > 0) for (const frame of frames(told)) connection.send(frame);
  }

  #toldOf(id: string): Told | null {
    const { parts, accountId, selection } = this.#options;
    const value = parts.live.get(accountId, id);
    // It may have come not to match since it changed.
    if (value === undefined || this.#choice?.has(id) !== true) return null;
    const { atMs, scale } = value;
    if (atMs === null) return selection.unreported ? { signalId: id, value, atMs } : null;
    if (scale === null) parts.scales.want(accountId, id);
    return shownOf(id, value);
  }
}
