import type { ReactNode } from "react";
import style from "./group.module.css";

interface GroupProps {
  readonly label: string;
  /** Otherwise it is heard alone. */
  readonly isLabelSeen?: boolean | undefined;
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

/** Buttons or boxes that belong together. */
export const Group = ({ label, isLabelSeen = false, className = "", children }: GroupProps) => (
  <fieldset className={`${style.group} ${className}`}>
    <legend className={isLabelSeen ? style.label : "only-heard"}>{label}</legend>
    {children}
  </fieldset>
);
