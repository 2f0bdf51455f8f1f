import { POWERS } from "../plain-line.ts";
import { PLAIN_CHARACTER } from "./plain-json.ts";

const [QUOTE, MINUS, POINT, ZERO, CLOSE] = [34, 45, 46, 48, 125];
/** Digits whose value fits 32-bit arithmetic. */
const DIGITS_MAX = 9;

/** Longer ones are not worth comparing. */
const BYTES_MAX = 64;

/**
 * How the elements of a feed are written: nearly every one is the one before with another name and another strength. Of
 * such an element only these two are read, and all else is compared.
 */
export class ElementShape {
  /** What stands before the name, and between its end and the strength, behind which the element is over. */
  #lead: Uint8Array = new Uint8Array(0);
  #middle: Uint8Array = new Uint8Array(0);
  /** Of the element read last. */
  nameStart = 0;
  nameEnd = 0;
  strength = 0;

  /** From an element that begins at `start` and has two members: first its name, then its strength. */
  learn(bytes: Uint8Array, start: number, nameStart: number, nameEnd: number, strengthStart: number): void {
    if (strengthStart - start > BYTES_MAX + nameEnd - nameStart) return;
    this.#lead = bytes.slice(start, nameStart);
    this.#middle = bytes.slice(nameEnd, strengthStart);
  }

  /** Where an element of this shape ends that begins at `start`; -1 if there is none. */
  read(bytes: Uint8Array, start: number): number {
    const lead = this.#lead;
    if (lead.length === 0) return -1;
    let at = start;
    for (let i = 0; i < lead.length; i++) if (bytes[at++] !== lead[i]) return -1;
    this.nameStart = at;
    while (PLAIN_CHARACTER[bytes[at] ?? QUOTE] === 1) at++;
    this.nameEnd = at;
    const middle = this.#middle;
    for (let i = 0; i < middle.length; i++) if (bytes[at++] !== middle[i]) return -1;
    return this.#readStrength(bytes, at);
  }

  #readStrength(bytes: Uint8Array, start: number): number {
    const negative = bytes[start] === MINUS;
    const first = negative ? start + 1 : start;
    let at = first;
    let point = -1;
    let mantissa = 0;
    for (; at - first <= DIGITS_MAX + 1; at++) {
      const byte = bytes[at] ?? 0;
      const digit = byte - ZERO;
      if (digit >= 0 && digit <= 9) mantissa = (mantissa * 10 + digit) | 0;
      else if (byte === POINT && point < 0) point = at;
      else break;
    }
    const whole = (point < 0 ? at : point) - first;
    const decimals = point < 0 ? 0 : at - point - 1;
    if (bytes[at] !== CLOSE || whole === 0 || (point >= 0 && decimals === 0)) return -1;
    if (whole + decimals > DIGITS_MAX || (whole > 1 && bytes[first] === ZERO)) return -1;
    const value = decimals > 0 ? mantissa / (POWERS[decimals] ?? Number.NaN) : mantissa;
    this.strength = negative ? -value : value;
    return at + 1;
  }
}
