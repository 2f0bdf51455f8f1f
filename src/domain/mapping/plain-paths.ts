import type { MappingPaths } from "../../../schemas/source.ts";
import { PlainJson } from "./plain-json.ts";
import { type PlainPlan, planPlain, type Step, type Wanted } from "./plain-plan.ts";
import { grown, PlainReadings } from "./plain-readings.ts";
import { NAME_CHARACTERS_MAX } from "./signal-name.ts";
import { compileUnit, type ToDbm } from "./unit.ts";

const [COMMA, OPEN_LIST, CLOSE_LIST, OPEN, CLOSE] = [44, 91, 93, 123, 125];
/** Where a text begins, and where it ends. */
const SPAN = 2;
const NOWHERE = -1;
/** Of all names of a message: one that is made to have more is left to the parser. */
const NAMES_BYTES_MAX = 1024 * 1024;

/**
 * Readings straight from the bytes of a message, by paths of names alone: of all else in it is only seen that it is
 * JSON. A short way beside JSON.parse and the paths (two thirds of the time), never a grammar of its own: what it takes
 * means the same to both, and all else it leaves to them, such as names with escapes, members that are there twice, and
 * strengths with an exponent.
 */
export class PlainPaths extends PlainReadings {
  readonly #plan: PlainPlan;
  readonly #toDbm: ToDbm;
  readonly #json = new PlainJson();
  #bytes: Uint8Array = new Uint8Array(0);
  /** Counts messages and elements. */
  #scopes = 0;
  readonly #messageTexts: Int32Array;
  #messageStrength = Number.NaN;
  #messageAtMs = Number.NaN;
  /** Of one element after the other. */
  #elementTexts: Int32Array;

  constructor(plan: PlainPlan, toDbm: ToDbm) {
    super();
    this.#plan = plan;
    this.#toDbm = toDbm;
    this.#messageTexts = new Int32Array(plan.messageTexts * SPAN);
    this.#elementTexts = new Int32Array(this.strengths.length * plan.elementTexts * SPAN);
  }

  /** Whether the whole message is plain, and has readings. `arrivalMs` is the time of those that bring none. */
  read(bytes: Uint8Array, arrivalMs: number): boolean {
    const json = this.#json;
    json.begin(bytes);
    this.#bytes = bytes;
    this.count = 0;
    this.#messageTexts.fill(NOWHERE);
    this.#messageStrength = Number.NaN;
    this.#messageAtMs = Number.NaN;
    if (!this.#message() || !json.isAtEnd() || this.count === 0) return false;
    this.isAscii = json.isAscii;
    return this.#finish(arrivalMs);
  }

  #message(): boolean {
    const { hasEach, message } = this.#plan;
    if (hasEach) return this.#value(message, ++this.#scopes);
    return this.#json.peek() === OPEN_LIST ? this.#list() : this.#element();
  }

  #list(): boolean {
    const json = this.#json;
    if (!json.take(OPEN_LIST)) return false;
    do {
      if (!this.#element()) return false;
    } while (json.take(COMMA));
    return json.take(CLOSE_LIST);
  }

  #element(): boolean {
    this.makeRoom();
    const { element, elementTexts } = this.#plan;
    const from = this.count * elementTexts * SPAN;
    const to = from + elementTexts * SPAN;
    const texts = this.#elementTexts;
    if (to > texts.length) this.#elementTexts = grown(new Int32Array(texts.length * 2), texts);
    this.#elementTexts.fill(NOWHERE, from, to);
    this.strengths[this.count] = Number.NaN;
    this.atMs[this.count] = Number.NaN;
    if (!this.#members(element, ++this.#scopes)) return false;
    this.count++;
    return true;
  }

  /** An object that a step has led to, or a scope begins with. */
  #members(step: Step, scope: number): boolean {
    const json = this.#json;
    if (!json.take(OPEN)) return false;
    if (json.take(CLOSE)) return true;
    do {
      if (!json.name()) return false;
      const next = this.#next(step);
      if (next === null) {
        if (!json.skip()) return false;
      } else {
        if (next.seenIn === scope) return false;
        next.seenIn = scope;
        if (!this.#value(next, scope)) return false;
      }
    } while (json.take(COMMA));
    return json.take(CLOSE);
  }

  /** The step that the name read last is. */
  #next({ under }: Step): Step | null {
    for (const step of under) if (this.#json.textIs(step.bytes)) return step;
    return null;
  }

  #value(step: Step, scope: number): boolean {
    if (step.isList) return this.#list();
    if (step.wanted !== null) return this.#take(step.wanted);
    // What is no object has no members.
    return this.#json.peek() === OPEN ? this.#members(step, scope) : this.#json.skip();
  }

  #take(wanted: Wanted): boolean {
    if (wanted.kind === "text") return this.#text(wanted);
    return wanted.kind === "strength" ? this.#strength(wanted) : this.#time(wanted);
  }

  #text({ ofMessage, slot }: Wanted): boolean {
    const json = this.#json;
    if (!json.text()) return false;
    const texts = ofMessage ? this.#messageTexts : this.#elementTexts;
    const at = this.#placeOf(ofMessage, slot);
    texts[at] = json.textStart;
    texts[at + 1] = json.textEnd;
    return true;
  }

  #strength({ ofMessage }: Wanted): boolean {
    const json = this.#json;
    if (!json.number()) return false;
    if (ofMessage) this.#messageStrength = json.value;
    else this.strengths[this.count] = json.value;
    return true;
  }

  #time({ ofMessage }: Wanted): boolean {
    const atMs = this.#json.timeMs();
    if (ofMessage) this.#messageAtMs = atMs;
    else this.atMs[this.count] = atMs;
    return !Number.isNaN(atMs);
  }

  #placeOf(ofMessage: boolean, slot: number, element = this.count): number {
    return (ofMessage ? slot : element * this.#plan.elementTexts + slot) * SPAN;
  }

  /** What is known of each element once the whole message has been read; false: of one too little. */
  #finish(arrivalMs: number): boolean {
    const { strength, time } = this.#plan;
    let end = 0;
    for (let i = 0; i < this.count; i++) {
      const dbm = this.#toDbm(strength.ofMessage ? this.#messageStrength : (this.strengths[i] ?? Number.NaN));
      if (Number.isNaN(dbm)) return false;
      this.strengths[i] = dbm;
      const atMs = time?.ofMessage ? this.#messageAtMs : (this.atMs[i] ?? Number.NaN);
      this.atMs[i] = Number.isNaN(atMs) ? arrivalMs : atMs;
      this.nameStart[i] = end;
      end = this.#name(i, end);
      if (end < 0) return false;
      this.nameEnd[i] = end;
    }
    return true;
  }

  /** Puts together the name of an element, from `start` of the names on, and gives its end; below 0: it has none. */
  #name(element: number, start: number): number {
    if (start > NAMES_BYTES_MAX) return NOWHERE;
    if (this.names.length < start + NAME_CHARACTERS_MAX)
      this.names = grown(new Uint8Array((start + NAME_CHARACTERS_MAX) * 2), this.names);
    let at = start;
    for (const part of this.#plan.name) {
      const isFixed = part instanceof Uint8Array;
      const texts = isFixed || part.ofMessage ? this.#messageTexts : this.#elementTexts;
      const place = isFixed ? 0 : this.#placeOf(part.ofMessage, part.slot, element);
      const from = isFixed ? 0 : (texts[place] ?? NOWHERE);
      const to = isFixed ? part.length : (texts[place + 1] ?? NOWHERE);
      if (from < 0 || at + to - from > start + NAME_CHARACTERS_MAX) return NOWHERE;
      const bytes = isFixed ? part : this.#bytes;
      for (let i = from; i < to; i++) this.names[at++] = bytes[i] ?? 0;
    }
    return at;
  }
}

/** Null where the paths are not such. Throws PathError. */
export const compilePlainPaths = (paths: MappingPaths): PlainPaths | null => {
  const plan = planPlain(paths);
  return plan === null ? null : new PlainPaths(plan, compileUnit(paths.unit));
};
