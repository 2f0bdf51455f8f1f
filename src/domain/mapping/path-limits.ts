import { type JSONPathQuery, jsonpath } from "json-p3";
import { PathError } from "./path-error.ts";
import { isDescendant } from "./query.ts";

const { expressions, selectors } = jsonpath;
type Expression = jsonpath.expressions.FilterExpression;
type Query = jsonpath.expressions.FilterQuery;

const partsOf = (expression: Expression): readonly Expression[] => {
  if (expression instanceof expressions.LogicalExpression) return [expression.expression];
  if (expression instanceof expressions.PrefixExpression) return [expression.right];
  if (expression instanceof expressions.InfixExpression) return [expression.left, expression.right];
  return expression instanceof expressions.FunctionExtension ? expression.args : [];
};

const queriesIn = (expression: Expression): Query[] =>
  expression instanceof expressions.FilterQuery ? [expression] : partsOf(expression).flatMap(queriesIn);

const filtersOf = ({ segments }: JSONPathQuery): jsonpath.selectors.FilterSelector[] =>
  segments
    .flatMap((segment) => segment.selectors)
    .filter((selector) => selector instanceof selectors.FilterSelector);

const descendantsOf = ({ segments }: JSONPathQuery): number => segments.filter(isDescendant).length;

const isPlain = (selector: jsonpath.JSONPathSelector): boolean =>
  selector instanceof selectors.NameSelector || selector instanceof selectors.IndexSelector;

/** Two selectors that may pick the same value would double what is picked, and again in the next segment. */
const overlaps = ({ selectors: all }: jsonpath.JSONPathSegment): boolean =>
  all.length > 1 && (!all.every(isPlain) || new Set(all.map(String)).size < all.length);

const problemOf = (query: JSONPathQuery): string | null => {
  const inner = filtersOf(query).flatMap(({ expression }) => queriesIn(expression));
  const all = [query, ...inner.map(({ path }) => path)];
  if (inner.some(({ path }) => filtersOf(path).length > 0)) return "has a filter inside a filter";
  if (all.reduce((sum, one) => sum + descendantsOf(one), 0) > 1) return "has more than one `..`";
  if (inner.some((one) => one instanceof expressions.RootQuery && !one.path.singularQuery())) {
    return "looks through the whole message in a filter: there, a path from `$` may only have names and indexes";
  }
  return all.some(({ segments }) => segments.some(overlaps))
    ? "selects the same twice: several selectors in brackets must be different names and indexes"
    : null;
};

/** Refuses paths whose work may grow faster than the message: their writer should know before the first message does. */
export const refuseCostly = (text: string, query: JSONPathQuery): void => {
  const problem = problemOf(query);
  if (problem !== null)
    throw new PathError(`${text} ${problem}; its work would grow faster than the message`);
};
