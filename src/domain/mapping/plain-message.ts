import { SIGNAL_NAMES, STRENGTH_NAMES, TIME_NAMES } from "./default-names.ts";
import { ElementShape } from "./element-shape.ts";
import { PlainJson } from "./plain-json.ts";
import { PlainReadings } from "./plain-readings.ts";

const [COMMA, COLON, OPEN_LIST, CLOSE_LIST, OPEN, CLOSE] = [44, 58, 91, 93, 123, 125];

/** What the members of an element are; each may occur once. */
const [OTHER, SIGNAL, STRENGTH, TIME] = [0, 1, 2, 4] as const;
type Kind = typeof OTHER | typeof SIGNAL | typeof STRENGTH | typeof TIME;

const NAME_THEN_STRENGTH = (8 + SIGNAL) * 16 + 8 + STRENGTH;

const encoder = new TextEncoder();
const membersOf = (names: readonly string[], kind: Kind) =>
  names.map((name) => ({ bytes: encoder.encode(name), kind }));
const MEMBERS = [
  ...membersOf(SIGNAL_NAMES, SIGNAL),
  ...membersOf(STRENGTH_NAMES, STRENGTH),
  ...membersOf(TIME_NAMES, TIME),
];

/**
 * Readings straight from the bytes of a message in the plainest form of preset `default`: an object, or an array of
 * them, each with one name of a signal (ASCII text), one strength (a plain decimal), perhaps one time, and other members
 * that are neither objects nor arrays. A short way beside JSON.parse and the preset (a third of the time), never a
 * grammar of its own: what it takes means the same to both, and all else it leaves to them.
 */
export class PlainMessage extends PlainReadings {
  readonly #json = new PlainJson();
  readonly #shape = new ElementShape();

  /** Whether the whole message is plain, and has readings. `arrivalMs` is the time of those that bring none. */
  read(bytes: Uint8Array, arrivalMs: number): boolean {
    const json = this.#json;
    json.begin(bytes);
    this.names = bytes;
    this.count = 0;
    if (!json.take(OPEN_LIST)) return this.#element(bytes, arrivalMs) && json.isAtEnd();
    do {
      if (!this.#element(bytes, arrivalMs)) return false;
    } while (json.take(COMMA));
    return json.take(CLOSE_LIST) && json.isAtEnd();
  }

  #element(bytes: Uint8Array, arrivalMs: number): boolean {
    this.makeRoom();
    this.atMs[this.count] = arrivalMs;
    const json = this.#json;
    json.peek();
    const shape = this.#shape;
    const after = shape.read(bytes, json.at);
    if (after < 0) return this.#members(bytes);
    json.at = after;
    this.nameStart[this.count] = shape.nameStart;
    this.nameEnd[this.count] = shape.nameEnd;
    this.strengths[this.count++] = shape.strength;
    return true;
  }

  #members(bytes: Uint8Array): boolean {
    const json = this.#json;
    const start = json.at;
    if (!json.take(OPEN)) return false;
    let found = 0;
    // The kinds of the members in their order, four bits each.
    let order = 0;
    do {
      if (!json.text() || !json.take(COLON)) return false;
      const kind = this.#kind();
      if ((found & kind) !== 0 || !this.#value(kind)) return false;
      found |= kind;
      order = order * 16 + 8 + kind;
    } while (json.take(COMMA));
    if ((found & SIGNAL) === 0 || (found & STRENGTH) === 0 || !json.take(CLOSE)) return false;
    if (order === NAME_THEN_STRENGTH) {
      const [from, to] = [this.nameStart[this.count] ?? 0, this.nameEnd[this.count] ?? 0];
      this.#shape.learn(bytes, start, from, to, json.numberStart);
    }
    this.count++;
    return true;
  }

  /** Of the text read last. */
  #kind(): Kind {
    for (const { bytes, kind } of MEMBERS) if (this.#json.textIs(bytes)) return kind;
    return OTHER;
  }

  #value(kind: Kind): boolean {
    const json = this.#json;
    if (kind === SIGNAL) {
      if (!json.text()) return false;
      this.nameStart[this.count] = json.textStart;
      this.nameEnd[this.count] = json.textEnd;
      return true;
    }
    if (kind === STRENGTH) {
      if (!json.number()) return false;
      this.strengths[this.count] = json.value;
      return true;
    }
    return kind === TIME ? this.#time() : json.scalar();
  }

  #time(): boolean {
    const atMs = this.#json.timeMs();
    this.atMs[this.count] = atMs;
    return !Number.isNaN(atMs);
  }
}
