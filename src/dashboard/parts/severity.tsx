import type { Severity } from "../api/queries.ts";
import style from "./severity.module.css";

const SHAPES: Readonly<Record<Severity, string>> = { info: "ⓘ", warning: "▲", critical: "✕" };

/** Shape, word and colour, as of a status. */
export const SeverityMark = ({ severity }: { severity: Severity }) => (
  <span className={`${style.severity} ${style[severity]}`}>
    <span aria-hidden="true">{SHAPES[severity]}</span> {severity}
  </span>
);
