import type { MappingPaths } from "../../../schemas/source.ts";
import { namesTo, namesToAll } from "./path.ts";
import { PLAIN_CHARACTER } from "./plain-json.ts";
import { fromItsRoot, isOfMessage } from "./scoped-path.ts";
import { signalParts } from "./signal-name.ts";

/** What a path leads to. `ofMessage`: the same for all elements. `slot`: its place among the texts of its scope. */
export interface Wanted {
  readonly kind: "text" | "strength" | "time";
  readonly ofMessage: boolean;
  readonly slot: number;
}

/** A member on the way to what is wanted. */
export class Step {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly under: Step[] = [];
  wanted: Wanted | null = null;
  /** Whether its value is the list of elements. */
  isList = false;
  /** The number of the message or element that had it last: what has it twice is left to others. */
  seenIn = 0;

  constructor(name: string, bytes: Uint8Array) {
    this.name = name;
    this.bytes = bytes;
  }

  /** Whether each step is a way or an end, and not both. */
  get isSound(): boolean {
    const ends = [this.wanted !== null, this.isList, this.under.length > 0];
    return ends.filter(Boolean).length <= 1 && this.under.every((step) => step.isSound);
  }
}

/** How the readings of a message are found in its bytes. */
export interface PlainPlan {
  readonly message: Step;
  readonly element: Step;
  /** Whether a path says which elements a message has; else it is one, or a list of them. */
  readonly hasEach: boolean;
  /** What the name is put together of. */
  readonly name: readonly (Uint8Array | Wanted)[];
  readonly strength: Wanted;
  readonly time: Wanted | null;
  /** How many texts are wanted, of the message and of each element. */
  readonly messageTexts: number;
  readonly elementTexts: number;
}

const encoder = new TextEncoder();
/** Null for what is not printable ASCII, or needs escapes. */
const plainBytes = (text: string): Uint8Array | null => {
  const bytes = encoder.encode(text);
  return bytes.every((byte) => PLAIN_CHARACTER[byte] === 1) ? bytes : null;
};

class NotPlain extends Error {}
const plain = <T>(value: T | null): T => {
  if (value === null) throw new NotPlain();
  return value;
};

const root = () => new Step("", new Uint8Array(0));

class Planner {
  readonly message = root();
  readonly element: Step;
  readonly #hasEach: boolean;
  readonly #texts = { message: 0, element: 0 };

  constructor(each: string | undefined) {
    this.#hasEach = each !== undefined;
    // What is not taken apart is its own element.
    this.element = this.#hasEach ? root() : this.message;
    if (each !== undefined) this.#along(this.message, plain(namesToAll(fromItsRoot(each)))).isList = true;
  }

  get texts(): Readonly<{ message: number; element: number }> {
    return this.#texts;
  }

  want(path: string, kind: Wanted["kind"]): Wanted {
    const ofMessage = this.#hasEach && isOfMessage(path);
    const names = plain(namesTo(fromItsRoot(path)));
    const step = this.#along(ofMessage ? this.message : this.element, names);
    if (step.wanted !== null) return plain(step.wanted.kind === kind ? step.wanted : null);
    const slot = kind === "text" ? this.#texts[ofMessage ? "message" : "element"]++ : 0;
    step.wanted = { kind, ofMessage, slot };
    return step.wanted;
  }

  #along(from: Step, names: readonly string[]): Step {
    let step = from;
    for (const name of names) {
      // What objects inherit is told apart from what they have by others.
      const bytes = plain(name in Object.prototype ? null : plainBytes(name));
      let next = step.under.find((one) => one.name === name);
      if (next === undefined) {
        next = new Step(name, bytes);
        step.under.push(next);
      }
      step = next;
    }
    return step;
  }
}

const planned = ({ each, signal, strength, at }: MappingPaths): PlainPlan => {
  const planner = new Planner(each);
  const name = signalParts(signal).map((part) =>
    typeof part === "string" ? plain(plainBytes(part)) : planner.want(part.text, "text"),
  );
  const plan = {
    message: planner.message,
    element: planner.element,
    hasEach: each !== undefined,
    name,
    strength: planner.want(strength, "strength"),
    time: at === undefined ? null : planner.want(at, "time"),
    messageTexts: planner.texts.message,
    elementTexts: planner.texts.element,
  };
  // A list of messages has no members that they share.
  const isShared = each === undefined && [signal, strength, at].some((path) => path?.includes("$$"));
  return plain(!isShared && plan.message.isSound && plan.element.isSound ? plan : null);
};

/** Null where a path is more than names, or a name more than printable ASCII. Throws PathError. */
export const planPlain = (paths: MappingPaths): PlainPlan | null => {
  try {
    return planned(paths);
  } catch (error) {
    if (error instanceof NotPlain) return null;
    throw error;
  }
};
