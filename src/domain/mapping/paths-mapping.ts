import type { JSONValue } from "json-p3";
import { Labels } from "../../../schemas/common.ts";
import type { MappingPaths } from "../../../schemas/source.ts";
import { copiedText } from "../copied-text.ts";
import { compileEach, compileScopedPath, type ScopedPath } from "./scoped-path.ts";
import { compileSignalName, isFixedName } from "./signal-name.ts";
import { timeOf } from "./time.ts";
import { compileUnit } from "./unit.ts";
import { isPresent, numberOf } from "./value.ts";
import type { CompiledMapping, MappingVisitor, SignalNameOf } from "./visitor.ts";

const LABEL_CHARACTERS_MAX = 200;
const LABEL_BYTES_MAX = 3 * LABEL_CHARACTERS_MAX;

type Elements = (message: JSONValue) => readonly JSONValue[];
const compileElements = (each: string | undefined): Elements => {
  if (each === undefined) return (message) => (Array.isArray(message) ? message : [message]);
  const path = compileEach(each);
  return (message) => path.all(message);
};

type TimeOfElement = (element: JSONValue, message: JSONValue, arrivalMs: number) => number;
const compileTime = (at: string | undefined): TimeOfElement => {
  if (at === undefined) return (_element, _message, arrivalMs) => arrivalMs;
  const path = compileScopedPath(at);
  return (element, message, arrivalMs) => {
    const found = path.first(element, message);
    return isPresent(found) ? timeOf(found) : arrivalMs;
  };
};

const compileLabels = (paths: MappingPaths["labels"]): CompiledMapping["labels"] => {
  const compiled: [string, ScopedPath][] = Object.entries(paths ?? {}).map(([key, path]) => [
    key,
    compileScopedPath(path),
  ]);
  return (element, message) => {
    const labels: [string, string][] = [];
    for (const [key, path] of compiled) {
      const value = path.first(element, message);
      if (typeof value === "object" || value === undefined) continue;
      labels.push([key, copiedText(String(value).slice(0, LABEL_CHARACTERS_MAX), LABEL_BYTES_MAX)]);
    }
    return Labels.parse(Object.fromEntries(labels));
  };
};

const checkLabelKeys = (paths: MappingPaths["labels"]): void => {
  Labels.parse(Object.fromEntries(Object.keys(paths ?? {}).map((key) => [key, ""])));
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
  visitor: MappingVisitor,
): void => {
  const raw = mapping.strength.first(element, message);
  const name = mapping.nameOf(element, message);
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
  const atMs = mapping.timeOfElement(element, message, arrivalMs);
  if (Number.isNaN(number)) visitor.rejected("strength_not_a_number", mapping.details.noNumber);
  else if (Number.isNaN(dbm)) visitor.rejected("strength_out_of_range", mapping.details.noSuchStrength);
  else if (Number.isNaN(atMs)) visitor.rejected("bad_time", mapping.details.badTime);
  else visitor.reading(name, atMs, dbm, element);
};

/** A mapping by JSONPath. Throws PathError, or a ZodError for a label's key. */
export const compilePaths = (paths: MappingPaths): CompiledMapping => {
  checkLabelKeys(paths.labels);
  const elements = compileElements(paths.each);
  const mapping = compiled(paths);
  return {
    map: (message, arrivalMs, visitor) => {
      const found = elements(message);
      if (found.length === 0) visitor.skipped();
      for (const element of found) mapElement(mapping, element, message, arrivalMs, visitor);
    },
    labels: compileLabels(paths.labels),
  };
};
