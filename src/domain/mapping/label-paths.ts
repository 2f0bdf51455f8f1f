import type { JSONValue } from "json-p3";
import { Labels } from "../../../schemas/common.ts";
import type { MappingPaths } from "../../../schemas/source.ts";
import { copiedText } from "../copied-text.ts";
import { compileScopedPath, type ScopedPath } from "./scoped-path.ts";
import type { Work } from "./work.ts";

const LABEL_CHARACTERS_MAX = 200;
const LABEL_BYTES_MAX = 3 * LABEL_CHARACTERS_MAX;

const checkLabelKeys = (paths: MappingPaths["labels"]): void => {
  Labels.parse(Object.fromEntries(Object.keys(paths ?? {}).map((key) => [key, ""])));
};

/** Labels that an element has, as text. Throws WorkExceededError. */
export type LabelsOf = (element: JSONValue, message: JSONValue, work: Work) => Labels;

/** Throws PathError, or a ZodError for a label's key. */
export const compileLabels = (paths: MappingPaths["labels"]): LabelsOf => {
  checkLabelKeys(paths);
  const compiled: [string, ScopedPath][] = Object.entries(paths ?? {}).map(([key, path]) => [
    key,
    compileScopedPath(path),
  ]);
  return (element, message, work) => {
    const labels: [string, string][] = [];
    for (const [key, path] of compiled) {
      const value = path.first(element, message, work);
      if (typeof value === "object" || value === undefined) continue;
      labels.push([key, copiedText(String(value).slice(0, LABEL_CHARACTERS_MAX), LABEL_BYTES_MAX)]);
    }
    return Labels.parse(Object.fromEntries(labels));
  };
};
