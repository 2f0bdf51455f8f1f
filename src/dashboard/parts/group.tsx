import type { ReactNode } from "react";
import style from "./group.module.css";

interface GroupProps {
  /** Heard, and not seen. */
  readonly label: string;
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

/** Buttons or boxes that belong together. */
export const Group = ({ label, className = "", children }: GroupProps) => (
  <fieldset className={`${style.group} ${className}`}>
    <legend className="only-heard">{label}</legend>
    {children}
  </fieldset>
);
