import { type ReactNode, useEffect } from "react";
import style from "./page.module.css";

interface PageProps {
  readonly title: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A page with its name, which the window has too, and what can be done on it. */
export const Page = ({ title, actions, children }: PageProps) => {
  useEffect(() => {
    document.title = `${title} · Signals`;
  }, [title]);
  return (
    <>
      <header className={style.head}>
        <h1 tabIndex={-1}>{title}</h1>
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
