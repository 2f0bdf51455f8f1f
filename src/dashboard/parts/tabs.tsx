import { Link, type LinkProps } from "@tanstack/react-router";
import style from "./tabs.module.css";

interface Tab {
  readonly to: NonNullable<LinkProps["to"]>;
  readonly label: string;
}

/** Pages that belong together. */
export const Tabs = ({ label, tabs }: { label: string; tabs: readonly Tab[] }) => (
  <nav aria-label={label} className={style.tabs}>
    {tabs.map(({ to, label: name }) => (
      <Link key={to} to={to} activeOptions={{ exact: true, includeSearch: false }} className={style.tab}>
        {name}
      </Link>
    ))}
  </nav>
);
