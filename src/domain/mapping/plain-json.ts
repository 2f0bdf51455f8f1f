import { POWERS } from "../plain-line.ts";
import { timeOf } from "./time.ts";

const [TAB, NEWLINE, RETURN, SPACE, QUOTE, PLUS, COMMA, MINUS, POINT, ZERO, COLON, BACKSLASH] = [
  9, 10, 13, 32, 34, 43, 44, 45, 46, 48, 58, 92,
];
const [OPEN_LIST, CLOSE_LIST, OPEN, CLOSE] = [91, 93, 123, 125];
const [SMALL_A, SMALL_E, SMALL_F, SMALL_U] = [97, 101, 102, 117];
/** By code: what a letter is as a small one; other characters become something else. */
const SMALL = 32;
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

/** By code: the ASCII characters that stand for themselves in a text. */
const ITSELF = 1;
const IN_TEXT = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < SPACE || byte > DELETE || byte === QUOTE || byte === BACKSLASH ? 0 : ITSELF,
);
const WORD = 4;
/**
 * Whether each of a word's four bytes surely stands for itself in a text: in none is the highest bit set, nor becomes
 * it so by taking off the least such character, or one from what is 0 for a quote or a backslash only. (Mycroft 1987:
 * a byte behind such a one may seem to be one, and is looked at by itself.)
 */
const isText = (word: number): boolean => {
  const quotes = word ^ 0x22222222;
  const backslashes = word ^ 0x5c5c5c5c;
  const found = word | (word - 0x20202020) | (quotes - 0x01010101) | (backslashes - 0x01010101);
  return (found & 0x80808080) === 0;
};
/** By code: a value that begins beyond this is no number. */
const LETTERS_FROM = 64;
/** What may follow a backslash, but for a character by its number. */
const ESCAPED = new Set([...'"\\/bfnrt'].map((character) => character.charCodeAt(0)));
const HEX_DIGITS = 4;
/** What is nested more deeply is left to others. */
const DEPTH_MAX = 64;

const encoder = new TextEncoder();
const LITERALS = ["true", "false", "null"].map((word) => encoder.encode(word));

/**
 * The plainest of JSON (RFC 8259), token by token: texts of printable ASCII characters without escapes, decimals of at
 * most 15 digits without an exponent; and any JSON that need only be passed over. Each method passes over white space,
 * gives false at what is not this, and stands nowhere in particular then.
 */
/** Each becomes an argument of a call, of which there is no room for any number. */
const TIME_CHARACTERS_MAX = 64;

export class PlainJson {
  #bytes: Uint8Array = new Uint8Array(0);
  #view = new DataView(this.#bytes.buffer);
  /** Of the text passed over last. */
  #hasEscapes = false;
  /** What is read next. */
  at = 0;
  /** Where the text read last lies, between its quotes. */
  textStart = 0;
  textEnd = 0;
  /** The number read last, and where it begins. */
  value = 0;
  numberStart = 0;
  /** Whether all that was passed over was ASCII: else it is JSON only if the whole is UTF-8. */
  isAscii = true;

  begin(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.at = 0;
    this.isAscii = true;
  }

  /** The next byte that is not white space; -1 at the end. */
  peek(): number {
    const bytes = this.#bytes;
    for (;;) {
      const byte = bytes[this.at];
      if (byte === undefined) return -1;
      if (byte > SPACE) return byte;
      if (byte !== SPACE && byte !== NEWLINE && byte !== RETURN && byte !== TAB) return byte;
      this.at++;
    }
  }

  isAtEnd(): boolean {
    return this.peek() < 0;
  }

  take(byte: number): boolean {
    if (this.#bytes[this.at] !== byte && this.peek() !== byte) return false;
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

  /** What a text or a number says of a time: Unix ms; NaN where it is neither, says nothing of it, or is too long. */
  timeMs(): number {
    if (this.peek() !== QUOTE) return this.number() ? timeOf(this.value) : Number.NaN;
    if (!this.text() || this.textEnd - this.textStart > TIME_CHARACTERS_MAX) return Number.NaN;
    return timeOf(this.#textString());
  }

  /** A text, a number or a literal, whatever it is. */
  scalar(): boolean {
    const byte = this.peek();
    if (byte === QUOTE) return this.text();
    return this.#literal() || this.number();
  }

  /** A member's name, which has no escapes, and the colon behind it. */
  name(): boolean {
    if (this.peek() !== QUOTE) return false;
    this.textStart = this.at + 1;
    if (!this.#skipText()) return false;
    this.textEnd = this.at - 1;
    return !this.#hasEscapes && this.take(COLON);
  }

  /** Any value. */
  skip(depth = DEPTH_MAX): boolean {
    const byte = this.peek();
    if (byte === QUOTE) return this.#skipText();
    if (byte === OPEN) return depth > 0 && this.#skipObject(depth - 1);
    if (byte === OPEN_LIST) return depth > 0 && this.#skipList(depth - 1);
    return byte > LETTERS_FROM ? this.#literal() : this.#skipNumber();
  }

  #skipObject(depth: number): boolean {
    this.at++;
    if (this.take(CLOSE)) return true;
    do {
      if (this.peek() !== QUOTE || !this.#skipText() || !this.take(COLON) || !this.skip(depth)) return false;
    } while (this.take(COMMA));
    return this.take(CLOSE);
  }

  #skipList(depth: number): boolean {
    this.at++;
    if (this.take(CLOSE_LIST)) return true;
    do {
      if (!this.skip(depth)) return false;
    } while (this.take(COMMA));
    return this.take(CLOSE_LIST);
  }

  /** From its first quote, which is next, to behind its last one. */
  #skipText(): boolean {
    const bytes = this.#bytes;
    const view = this.#view;
    const lastWord = bytes.length - WORD;
    let at = this.at + 1;
    this.#hasEscapes = false;
    for (;;) {
      while (at <= lastWord && isText(view.getInt32(at, true))) at += WORD;
      while (IN_TEXT[bytes[at] ?? 0] === ITSELF) at++;
      const byte = bytes[at++] ?? 0;
      if (byte === QUOTE) break;
      if (byte > DELETE) this.isAscii = false;
      else if (byte !== BACKSLASH || !this.#isEscape(at)) return false;
      // A character by its number is of five, all but the first of which stand for themselves.
      else at++;
    }
    this.at = at;
    return true;
  }

  /** Whether what begins at `at` may follow a backslash. */
  #isEscape(at: number): boolean {
    this.#hasEscapes = true;
    const byte = this.#bytes[at] ?? 0;
    if (byte !== SMALL_U) return ESCAPED.has(byte);
    for (let i = at + 1; i <= at + HEX_DIGITS; i++) if (!this.#isHex(i)) return false;
    return true;
  }

  #isHex(at: number): boolean {
    const letter = (this.#bytes[at] ?? 0) | SMALL;
    return this.#digitAt(at) < NONE || (letter >= SMALL_A && letter <= SMALL_F);
  }

  #skipNumber(): boolean {
    const bytes = this.#bytes;
    const first = bytes[this.at] === MINUS ? this.at + 1 : this.at;
    let at = this.#digitsEnd(first);
    if (at === first || (at > first + 1 && bytes[first] === ZERO)) return false;
    if (bytes[at] === POINT) {
      const point = at;
      at = this.#digitsEnd(point + 1);
      if (at === point + 1) return false;
    }
    if (((bytes[at] ?? 0) | SMALL) === SMALL_E) {
      const sign = bytes[at + 1];
      const exponent = sign === MINUS || sign === PLUS ? at + 2 : at + 1;
      at = this.#digitsEnd(exponent);
      if (at === exponent) return false;
    }
    this.at = at;
    return true;
  }

  /** Behind the digits, if any, that begin at `from`. */
  #digitsEnd(from: number): number {
    const bytes = this.#bytes;
    let at = from;
    for (let digit = (bytes[at] ?? 0) - ZERO; digit >= 0 && digit <= 9; digit = (bytes[at] ?? 0) - ZERO) at++;
    return at;
  }

  #literal(): boolean {
    const literal = LITERALS.find((word) => this.#isAt(this.at, word));
    if (literal === undefined) return false;
    this.at += literal.length;
    return true;
  }

  #textString(): string {
    return String.fromCharCode(...this.#bytes.subarray(this.textStart, this.textEnd));
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
    return ((this.#bytes[this.at] ?? 0) | SMALL) !== SMALL_E;
  }

  #isAt(at: number, wanted: Uint8Array): boolean {
    for (let i = 0; i < wanted.length; i++) if (this.#bytes[at + i] !== wanted[i]) return false;
    return true;
  }
}
