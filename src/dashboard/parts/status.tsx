import style from "./status.module.css";

export type Status = "active" | "failed" | "paused" | "degraded";
/** Shape, word and colour: each alone tells them apart. */
const SHAPES: Readonly<Record<Status, string>> = { active: "●", failed: "✕", paused: "Ⅱ", degraded: "▲" };

export const StatusMark = ({ status, label = status }: { status: Status; label?: string }) => (
  <span className={`${style.status} ${style[status]}`}>
    <span aria-hidden="true">{SHAPES[status]}</span> {label}
  </span>
);
