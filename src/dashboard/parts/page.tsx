import { type ReactNode, useEffect, useRef } from "react";
import style from "./page.module.css";

interface PageProps {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** The page that the window was opened with begins where every document does. */
let isFirst = true;

/** Whether somebody is at something of the page already, and not where they came from. */
const isBusy = (at: Element | null): boolean =>
  at !== null && at.closest("main") !== null && at.closest("nav") === null;

/** Who goes to another page is at its beginning then, as by a link of any document: by keys, and told by a reader. */
const useBeginning = () => {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!isFirst && !isBusy(document.activeElement)) heading.current?.focus({ preventScroll: true });
    isFirst = false;
  }, []);
  return heading;
};

/** A page with its name, which the window has too, and what can be done on it. */
export const Page = ({ title, actions, children }: PageProps) => {
  const heading = useBeginning();
  useEffect(() => {
    document.title = `${title} · Signal Optimization`;
  }, [title]);
  return (
    <>
      <header className={style.head}>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {actions !== undefined && <div className={style.actions}>{actions}</div>}
      </header>
      {children}
    </>
  );
};

export const Card = ({ children, label }: { children: ReactNode; label: string }) => (
  <section className={style.card} aria-label={label}>
    {children}
  </section>
);
