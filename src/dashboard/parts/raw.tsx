import { visible } from "../app/visible.ts";
import style from "./raw.module.css";

/** Text as it came, with all in it to be seen, which scrolls in itself where it is long; reached by keyboard in every browser. */
export const Raw = ({ what, text }: { what: string; text: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: not every browser lets keys scroll what has no place among the tabs
  <section className={style.raw} aria-label={what} tabIndex={0}>
    <pre>{visible(text)}</pre>
  </section>
);
