import type { ReactNode } from "react";
import style from "./scrolled.module.css";

/** What may be wider than its place: it is moved there, and not the page. */
export const Scrolled = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: not every browser lets keys scroll what has no place among the tabs
  <section aria-label={label} tabIndex={0} className={style.scrolled}>
    {children}
  </section>
);
