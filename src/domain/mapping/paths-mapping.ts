import type { JSONValue } from "json-p3";
import type { MappingPaths } from "../../../schemas/source.ts";
import { compileLabels } from "./label-paths.ts";
import { compilePlainPaths } from "./plain-paths.ts";
import { compileEach, compileScopedPath } from "./scoped-path.ts";
import { compileSignalName, isFixedName } from "./signal-name.ts";
import { timeOf } from "./time.ts";
import { compileUnit } from "./unit.ts";
import { isPresent, numberOf } from "./value.ts";
import type { CompiledMapping, MappingVisitor, SignalNameOf } from "./visitor.ts";
import { Work, WorkExceededError } from "./work.ts";

/** What mapping an element costs besides the paths that look through it. */
const ELEMENT_STEPS = 4;

type Elements = (message: JSONValue, work: Work) => readonly JSONValue[];
const compileElements = (each: string | undefined): Elements => {
  if (each === undefined) return (message) => (Array.isArray(message) ? message : [message]);
  const path = compileEach(each);
  return (message, work) => path.all(message, work);
};

type TimeOfElement = (element: JSONValue, message: JSONValue, arrivalMs: number, work: Work) => number;
const compileTime = (at: string | undefined): TimeOfElement => {
  if (at === undefined) return (_element, _message, arrivalMs) => arrivalMs;
  const path = compileScopedPath(at);
  return (element, message, arrivalMs, work) => {
    const found = path.first(element, message, work);
    return isPresent(found) ? timeOf(found) : arrivalMs;
  };
};

const compiled = (paths: MappingPaths) => {
  const strength = compileScopedPath(paths.strength);
  return {
    nameOf: compileSignalName(paths.signal),
    fixedName: isFixedName(paths.signal),
    strength,
    toDbm: compileUnit(paths.unit),
    timeOfElement: compileTime(paths.at),
    details: {
      noStrength: `nothing at ${strength.text}`,
      noNumber: `what is at ${strength.text} is no number`,
      noSuchStrength: `what is at ${strength.text} is outside what its unit can be`,
      badTime: `what is at ${paths.at} is neither RFC 3339 nor an epoch`,
    },
  };
};
type Compiled = ReturnType<typeof compiled>;

/** The way of an element without a strength: of another kind, unless its signal says that it should have one. */
const withoutStrength = (
  { fixedName, details }: Compiled,
  element: JSONValue,
  name: ReturnType<SignalNameOf>,
  visitor: MappingVisitor,
): void => {
  const unnamed = fixedName || (typeof name !== "string" && name.problem === "absent");
  if (typeof element !== "object" || element === null) visitor.rejected("no_signal", "no object or array");
  else if (unnamed) visitor.skipped();
  else visitor.rejected("no_strength", details.noStrength);
};

const mapElement = (
  mapping: Compiled,
  element: JSONValue,
  message: JSONValue,
  arrivalMs: number,
  work: Work,
  visitor: MappingVisitor,
): void => {
  const raw = mapping.strength.first(element, message, work);
  const name = mapping.nameOf(element, message, work);
  if (!isPresent(raw)) {
    withoutStrength(mapping, element, name, visitor);
    return;
  }
  if (typeof name !== "string") {
    visitor.rejected(name.problem === "absent" ? "no_signal" : "signal_name_invalid", name.detail);
    return;
  }
  const number = numberOf(raw);
  const dbm = mapping.toDbm(number);
  const atMs = mapping.timeOfElement(element, message, arrivalMs, work);
  if (Number.isNaN(number)) visitor.rejected("strength_not_a_number", mapping.details.noNumber);
  else if (Number.isNaN(dbm)) visitor.rejected("strength_out_of_range", mapping.details.noSuchStrength);
  else if (Number.isNaN(atMs)) visitor.rejected("bad_time", mapping.details.badTime);
  else visitor.reading(name, atMs, dbm, element);
};

/** A mapping by JSONPath. Throws PathError, or a ZodError for a label's key. */
export const compilePaths = (paths: MappingPaths): CompiledMapping => {
  const elements = compileElements(paths.each);
  const mapping = compiled(paths);
  const labelsOf = compileLabels(paths.labels);
  const plain = compilePlainPaths(paths);
  // Of the message that is being mapped: labels are asked for meanwhile, and cost it, too.
  let ongoing: Work | null = null;
  return {
    map: (message, arrivalMs, visitor) => {
      const work = new Work(message);
      ongoing = work;
      try {
        const found = elements(message, work);
        if (found.length === 0) visitor.skipped();
        for (const element of found) {
          work.spend(ELEMENT_STEPS);
          mapElement(mapping, element, message, arrivalMs, work, visitor);
        }
      } catch (error) {
        if (!(error instanceof WorkExceededError)) throw error;
        visitor.rejected("too_complex", error.message);
      } finally {
        ongoing = null;
      }
    },
    ...(plain === null
      ? {}
      : { readPlain: (bytes, arrivalMs) => (plain.read(bytes, arrivalMs) ? plain : null) }),
    labels: (element, message) => labelsOf(element, message, ongoing ?? new Work(message)),
  };
};
