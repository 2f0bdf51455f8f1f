import type { ReactNode } from "react";
import style from "./empty.module.css";

/** One sentence and one thing to do. */
export const Empty = ({ children, action }: { children: ReactNode; action?: ReactNode }) => (
  <div className={style.empty}>
    <p>{children}</p>
    {action}
  </div>
);
