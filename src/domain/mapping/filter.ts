import { type JSONPathQuery, type JSONValue, jsonpath } from "json-p3";
import { COMPARISONS, type Operand } from "./comparison.ts";
import { isObject } from "./json.ts";
import { compilePattern, isPatternFunction } from "./linear-patterns.ts";
import { PathError } from "./path-error.ts";
import { compileSingular } from "./singular-path.ts";
import type { Work } from "./work.ts";

const { expressions } = jsonpath;
type Expression = jsonpath.expressions.FilterExpression;

/** One evaluation of a path. */
export interface Evaluation {
  readonly root: JSONValue;
  readonly work: Work;
}
export type Nodes = (start: JSONValue, evaluation: Evaluation) => readonly JSONValue[];
export type CompileQuery = (query: JSONPathQuery) => Nodes;
export type Test = (current: JSONValue, evaluation: Evaluation) => boolean;
type Value = (current: JSONValue, evaluation: Evaluation) => Operand;

const unknown = (expression: Expression): PathError =>
  new PathError(`${expression.toString()} cannot be used in a filter`);

const lengthOf = (value: Operand, work: Work): Operand => {
  if (typeof value === "string" || Array.isArray(value)) return value.length;
  if (!isObject(value)) return undefined;
  const { length } = Object.keys(value);
  work.spend(length);
  return length;
};

/** Filter expressions (RFC 9535, 2.3.5), made ready. Each condition that is evaluated is a step. */
class FilterCompiler {
  readonly #compileQuery: CompileQuery;

  constructor(compileQuery: CompileQuery) {
    this.#compileQuery = compileQuery;
  }

  test(expression: Expression): Test {
    if (expression instanceof expressions.LogicalExpression) return this.test(expression.expression);
    if (expression instanceof expressions.PrefixExpression) {
      const test = this.test(expression.right);
      return (current, evaluation) => !test(current, evaluation);
    }
    if (expression instanceof expressions.InfixExpression) return this.#infix(expression);
    if (expression instanceof expressions.FunctionExtension) return this.#pattern(expression);
    const nodes = this.#nodes(expression);
    return (current, evaluation) => {
      evaluation.work.spend(1);
      return nodes(current, evaluation).length > 0;
    };
  }

  #infix(expression: jsonpath.expressions.InfixExpression): Test {
    const { operator } = expression;
    if (operator === "&&" || operator === "||") return this.#logical(expression);
    const compare = COMPARISONS.get(operator);
    if (compare === undefined) throw unknown(expression);
    const [left, right] = [this.#value(expression.left), this.#value(expression.right)];
    return (current, evaluation) => {
      evaluation.work.spend(1);
      return compare(left(current, evaluation), right(current, evaluation), evaluation.work);
    };
  }

  #logical(expression: jsonpath.expressions.InfixExpression): Test {
    const [left, right] = [this.test(expression.left), this.test(expression.right)];
    return expression.operator === "&&"
      ? (current, evaluation) => left(current, evaluation) && right(current, evaluation)
      : (current, evaluation) => left(current, evaluation) || right(current, evaluation);
  }

  #pattern(expression: jsonpath.expressions.FunctionExtension): Test {
    const [subject, pattern] = expression.args;
    if (!isPatternFunction(expression.name) || subject === undefined) throw unknown(expression);
    if (!(pattern instanceof expressions.StringLiteral)) {
      throw new PathError(`the pattern of ${expression.toString()} must be a text in quotes`);
    }
    const value = this.#value(subject);
    const holds = compilePattern(expression.name, pattern.value);
    return (current, evaluation) => {
      evaluation.work.spend(1);
      const text = value(current, evaluation);
      return typeof text === "string" && holds(text, evaluation.work);
    };
  }

  #value(expression: Expression): Value {
    if (expression instanceof expressions.NullLiteral) return () => null;
    if (
      expression instanceof expressions.StringLiteral ||
      expression instanceof expressions.NumberLiteral ||
      expression instanceof expressions.BooleanLiteral
    ) {
      const { value } = expression;
      return () => value;
    }
    if (expression instanceof expressions.FunctionExtension) return this.#call(expression);
    const nodes = this.#nodes(expression);
    return (current, evaluation) => nodes(current, evaluation)[0];
  }

  #call(expression: jsonpath.expressions.FunctionExtension): Value {
    const [argument] = expression.args;
    if (argument === undefined) throw unknown(expression);
    if (expression.name === "length") {
      const value = this.#value(argument);
      return (current, evaluation) => lengthOf(value(current, evaluation), evaluation.work);
    }
    const nodes = this.#nodes(argument);
    if (expression.name === "count") return (current, evaluation) => nodes(current, evaluation).length;
    if (expression.name !== "value") throw unknown(expression);
    return (current, evaluation) => {
      const found = nodes(current, evaluation);
      return found.length === 1 ? found[0] : undefined;
    };
  }

  #nodes(expression: Expression): Nodes {
    if (!(expression instanceof expressions.FilterQuery)) throw unknown(expression);
    const absolute = expression instanceof expressions.RootQuery;
    const single = compileSingular(expression.path);
    const select = single === null ? this.#compileQuery(expression.path) : null;
    return (current, evaluation) => {
      const start = absolute ? evaluation.root : current;
      if (select !== null) return select(start, evaluation);
      const found = single?.(start);
      return found === undefined ? [] : [found];
    };
  }
}

/** The condition of a filter selector; `compileQuery` makes the queries in it ready. Throws PathError. */
export const compileFilter = (expression: Expression, compileQuery: CompileQuery): Test =>
  new FilterCompiler(compileQuery).test(expression);
