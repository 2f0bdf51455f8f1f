import type { SyntaxNode } from "@lezer/common";
import { parser } from "@prometheus-io/lezer-promql";

/** One metric that an expression asks for. */
export interface Asked {
  readonly metric: string;
  /** Labels that it is chosen by. */
  readonly labels: readonly string[];
  /** The innermost function around it, such as `rate`; null without one. */
  readonly within: string | null;
}
export interface Expression {
  readonly asked: readonly Asked[];
  /** Labels that something is grouped or matched by. */
  readonly groupedBy: readonly string[];
  /** What Prometheus' own grammar does not understand. */
  readonly mistakes: readonly string[];
}

/** Reads PromQL with the grammar that Prometheus' own editor has. */
export const readPromQl = (text: string): Expression => {
  const asked: Asked[] = [];
  const groupedBy: string[] = [];
  const mistakes: string[] = [];
  const textOf = ({ from, to }: { readonly from: number; readonly to: number }) => text.slice(from, to);
  const below = (node: SyntaxNode, name: string): string[] => {
    const found: string[] = [];
    node.cursor().iterate((each) => {
      if (each.name === name) found.push(textOf(each));
    });
    return found;
  };
  const functionAround = (node: SyntaxNode): string | null => {
    for (let up = node.parent; up !== null; up = up.parent) {
      const name = up.name === "FunctionCall" ? up.getChild("FunctionIdentifier") : null;
      if (name !== null) return textOf(name);
    }
    return null;
  };
  parser.parse(text).iterate({
    enter: (ref) => {
      if (ref.type.isError) mistakes.push(`${textOf(ref) || "something missing"} at ${ref.from}`);
      if (ref.name === "GroupingLabels") groupedBy.push(...below(ref.node, "LabelName"));
      if (ref.name !== "VectorSelector") return;
      const [metric = ""] = below(ref.node, "Identifier");
      asked.push({ metric, labels: below(ref.node, "LabelName"), within: functionAround(ref.node) });
    },
  });
  return { asked, groupedBy, mistakes };
};
