import { type JSONPathQuery, type JSONValue, jsonpath } from "json-p3";
import { compileFilter, type Evaluation, type Nodes } from "./filter.ts";
import { children, isObject } from "./json.ts";
import { PathError } from "./path-error.ts";

const { selectors } = jsonpath;

/** Appends what a selector picks of a value to `into`. */
type Select = (value: JSONValue, evaluation: Evaluation, into: JSONValue[]) => void;

const selectName =
  (name: string): Select =>
  (value, _evaluation, into) => {
    if (isObject(value) && Object.hasOwn(value, name)) into.push(value[name]);
  };

const selectIndex =
  (index: number): Select =>
  (value, _evaluation, into) => {
    if (!Array.isArray(value)) return;
    const at = index < 0 ? value.length + index : index;
    if (at >= 0 && at < value.length) into.push(value[at]);
  };

const within = (index: number, length: number, lowest: number, highest: number): number =>
  Math.max(lowest, Math.min(index < 0 ? length + index : index, highest));

/** RFC 9535, 2.3.4.2.2. */
const selectSlice =
  ({ start, stop, step = 1 }: jsonpath.selectors.SliceSelector): Select =>
  (value, { work }, into) => {
    if (!Array.isArray(value) || step === 0) return;
    const { length } = value;
    const up = step > 0;
    const [lowest, highest] = up ? [0, length] : [-1, length - 1];
    const from = start === undefined ? (up ? lowest : highest) : within(start, length, lowest, highest);
    const to = stop === undefined ? (up ? highest : lowest) : within(stop, length, lowest, highest);
    work.spend(Math.max(0, Math.ceil((to - from) / step)));
    for (let i = from; up ? i < to : i > to; i += step) into.push(value[i]);
  };

const selectAll: Select = (value, { work }, into) => {
  const all = children(value);
  work.spend(all.length);
  for (const child of all) into.push(child);
};

const selectWhere = ({ expression }: jsonpath.selectors.FilterSelector): Select => {
  const test = compileFilter(expression, compileQuery);
  return (value, evaluation, into) => {
    for (const child of children(value)) {
      evaluation.work.spend(1);
      if (test(child, evaluation)) into.push(child);
    }
  };
};

const compileSelector = (selector: jsonpath.JSONPathSelector): Select => {
  if (selector instanceof selectors.NameSelector) return selectName(selector.name);
  if (selector instanceof selectors.IndexSelector) return selectIndex(selector.index);
  if (selector instanceof selectors.SliceSelector) return selectSlice(selector);
  if (selector instanceof selectors.WildcardSelector) return selectAll;
  if (selector instanceof selectors.FilterSelector) return selectWhere(selector);
  throw new PathError(`${selector.toString()} is no selector of RFC 9535`);
};

/** A value and all below it, each before what it holds; without recursion, for a message may be as deep as it is long. */
const descend = (top: JSONValue, { work }: Evaluation, visit: (value: JSONValue) => void): void => {
  const open: JSONValue[] = [top];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    visit(value);
    const below = children(value);
    work.spend(1);
    for (let i = below.length - 1; i >= 0; i--) open.push(below[i]);
  }
};

/** A segment that looks at all descendants (`..`); json-p3 gives its class no name outside. */
export const isDescendant = (segment: jsonpath.JSONPathSegment): boolean =>
  segment.token.kind === jsonpath.TokenKind.DDOT;

type Segment = (nodes: readonly JSONValue[], evaluation: Evaluation) => readonly JSONValue[];

const compileSegment = (segment: jsonpath.JSONPathSegment): Segment => {
  const selects = segment.selectors.map(compileSelector);
  const descends = isDescendant(segment);
  return (nodes, evaluation) => {
    const into: JSONValue[] = [];
    const visit = (node: JSONValue) => {
      for (const select of selects) select(node, evaluation, into);
    };
    for (const node of nodes) {
      evaluation.work.spend(1);
      if (descends) descend(node, evaluation, visit);
      else visit(node);
    }
    return into;
  };
};

/** A query made ready: the values it selects, in the order of RFC 9535. Throws PathError. */
export const compileQuery = (query: JSONPathQuery): Nodes => {
  const segments = query.segments.map(compileSegment);
  return (start, evaluation) =>
    segments.reduce<readonly JSONValue[]>((nodes, segment) => segment(nodes, evaluation), [start]);
};
