import { POWERS } from "../plain-line.ts";

const [TAB, NEWLINE, RETURN, SPACE, QUOTE, MINUS, POINT, ZERO, BACKSLASH] = [
  9, 10, 13, 32, 34, 45, 46, 48, 92,
];
/** The first byte that is no printable ASCII character any more. */
const DELETE = 127;
/** Decimal digits that a double holds exactly, whatever they are. */
const DIGITS_MAX = 15;
/** No digit. */
const NONE = 10;

/** By code: what a text may hold that needs no escape and is the same in every encoding. */
export const PLAIN_CHARACTER = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= SPACE && byte < DELETE && byte !== QUOTE && byte !== BACKSLASH ? 1 : 0,
);

const encoder = new TextEncoder();
const LITERALS = ["true", "false", "null"].map((word) => encoder.encode(word));

/**
 * The plainest of JSON (RFC 8259), token by token: texts of printable ASCII characters without escapes, decimals of at
 * most 15 digits without an exponent. Each method passes over white space, gives false at what is not this, and stands
 * nowhere in particular then.
 */
export class PlainJson {
  #bytes: Uint8Array = new Uint8Array(0);
  /** What is read next. */
  at = 0;
  /** Where the text read last lies, between its quotes. */
  textStart = 0;
  textEnd = 0;
  /** The number read last, and where it begins. */
  value = 0;
  numberStart = 0;

  begin(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.at = 0;
  }

  /** The next byte that is not white space; -1 at the end. */
  peek(): number {
    for (;;) {
      const byte = this.#bytes[this.at];
      if (byte === undefined) return -1;
      if (byte !== SPACE && byte !== NEWLINE && byte !== RETURN && byte !== TAB) return byte;
      this.at++;
    }
  }

  isAtEnd(): boolean {
    return this.peek() < 0;
  }

  take(byte: number): boolean {
    if (this.peek() !== byte) return false;
    this.at++;
    return true;
  }

  text(): boolean {
    if (!this.take(QUOTE)) return false;
    const bytes = this.#bytes;
    let at = this.at;
    this.textStart = at;
    while (PLAIN_CHARACTER[bytes[at] ?? 0] === 1) at++;
    if (bytes[at] !== QUOTE) return false;
    this.textEnd = at;
    this.at = at + 1;
    return true;
  }

  textIs(wanted: Uint8Array): boolean {
    return this.textEnd - this.textStart === wanted.length && this.#isAt(this.textStart, wanted);
  }

  textString(): string {
    return String.fromCharCode(...this.#bytes.subarray(this.textStart, this.textEnd));
  }

  number(): boolean {
    const negative = this.peek() === MINUS;
    this.numberStart = this.at;
    if (negative) this.at++;
    const first = this.at;
    const whole = this.#digits(0);
    const digits = this.at - first;
    if (digits === 0 || (digits > 1 && this.#bytes[first] === ZERO)) return false;
    let value = whole;
    let decimals = 0;
    if (this.#bytes[this.at] === POINT) {
      const point = this.at++;
      const mantissa = this.#digits(whole);
      decimals = this.at - point - 1;
      if (decimals === 0) return false;
      // Both are exact, so that the quotient is the double nearest to what is written.
      value = mantissa / (POWERS[decimals] ?? Number.NaN);
    }
    if (digits + decimals > DIGITS_MAX || !this.#ends()) return false;
    this.value = negative ? -value : value;
    return true;
  }

  /** A text, a number or a literal, whatever it is. */
  scalar(): boolean {
    const byte = this.peek();
    if (byte === QUOTE) return this.text();
    const literal = LITERALS.find((word) => this.#isAt(this.at, word));
    if (literal === undefined) return this.number();
    this.at += literal.length;
    return true;
  }

  #digitAt(at: number): number {
    const digit = (this.#bytes[at] ?? 0) - ZERO;
    return digit >= 0 && digit < NONE ? digit : NONE;
  }

  /** Appends digits to a mantissa. */
  #digits(mantissa: number): number {
    let value = mantissa;
    for (let digit = this.#digitAt(this.at); digit < NONE; digit = this.#digitAt(++this.at))
      value = value * 10 + digit;
    return value;
  }

  /** Whether the number is over: an exponent would go on. */
  #ends(): boolean {
    return ((this.#bytes[this.at] ?? 0) | 32) !== 101;
  }

  #isAt(at: number, wanted: Uint8Array): boolean {
    for (let i = 0; i < wanted.length; i++) if (this.#bytes[at + i] !== wanted[i]) return false;
    return true;
  }
}
