import { Link, type LinkProps, useLocation } from "@tanstack/react-router";
import { useCurrentInSight } from "./current-in-sight.ts";
import { currentOf } from "./current-tab.ts";
import style from "./tabs.module.css";

interface Tab {
  readonly to: NonNullable<LinkProps["to"]>;
  readonly label: string;
}

/** Pages that belong together, each with those that are under it. */
export const Tabs = ({ label, tabs }: { label: string; tabs: readonly Tab[] }) => {
  const row = useCurrentInSight();
  const path = useLocation({ select: ({ pathname }) => pathname });
  const current = currentOf(
    tabs.map(({ to }) => to),
    path,
  );
  return (
    <nav aria-label={label} ref={row} className={style.tabs}>
      {tabs.map(({ to, label: name }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: to !== current, includeSearch: false }}
          className={style.tab}
        >
          {name}
        </Link>
      ))}
    </nav>
  );
};
