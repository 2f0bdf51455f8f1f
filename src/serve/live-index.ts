import { SignalTable } from "../domain/evaluation/signal-table.ts";
import { isIdAt, SIGNAL_ID_LENGTH } from "../domain/plain-line.ts";
import { ACCOUNT_AT, ACCOUNT_ID_LENGTH } from "../domain/plain-live-line.ts";
import { LiveNumbers, LiveValue } from "./live-value.ts";

const encoder = new TextEncoder();

const isAccount = (account: Uint8Array, block: Uint8Array, start: number): boolean => {
  for (let i = 0; i < ACCOUNT_ID_LENGTH; i++) if (account[i] !== block[start + i]) return false;
  return true;
};

/** Values by the bytes of their line in topic `live`, so that the way of a value makes no string. Knows most of them. */
export class LiveIndex {
  readonly #table = new SignalTable();
  readonly #values: (LiveValue | null)[] = [];
  readonly #free: number[] = [];
  readonly #numbers = new LiveNumbers();
  readonly #accounts = new Map<string, Uint8Array>();

  /** The value that the line at `start` is of, which must be plain. `view` is that of the block. */
  find(block: Uint8Array, view: DataView, start: number): LiveValue | null {
    const slot = this.#table.find(view, start);
    const value = slot < 0 ? null : (this.#values[slot] ?? null);
    if (value === null) return null;
    const account = this.#accounts.get(value.accountId);
    return account !== undefined && isAccount(account, block, start + ACCOUNT_AT) ? value : null;
  }

  add(accountId: string, signalId: string): LiveValue {
    const slot = this.#free.pop() ?? this.#values.length;
    const value = new LiveValue({ accountId, signalId, slot, numbers: this.#numbers });
    this.#values[slot] = value;
    if (this.#isPlain(accountId, signalId)) this.#table.add(signalId, slot);
    return value;
  }

  remove({ signalId, slot }: LiveValue): void {
    if (this.#table.findId(signalId) === slot) this.#table.remove(signalId);
    this.#values[slot] = null;
    this.#free.push(slot);
  }

  /** Anybody may write what he likes where an id should stand, and the id of another account's signal. */
  #isPlain(accountId: string, signalId: string): boolean {
    const account = this.#accounts.get(accountId) ?? encoder.encode(accountId);
    if (account.length !== ACCOUNT_ID_LENGTH || signalId.length !== SIGNAL_ID_LENGTH) return false;
    this.#accounts.set(accountId, account);
    return isIdAt(encoder.encode(signalId), 0) && this.#table.findId(signalId) < 0;
  }
}
