import { Link, type LinkProps, Outlet, useLocation } from "@tanstack/react-router";
import { useIsOwner } from "../../app/roles.ts";
import { AskOwner } from "../../parts/ask-owner.tsx";
import { useCurrentInSight } from "../../parts/current-in-sight.ts";
import { currentOf } from "../../parts/current-tab.ts";
import { Page } from "../../parts/page.tsx";
import style from "./settings.module.css";

interface Place {
  readonly to: NonNullable<LinkProps["to"]>;
  readonly label: string;
  /** What owners alone do there. */
  readonly owners?: string;
}

const PLACES: readonly Place[] = [
  { to: "/settings/integrations", label: "Integrations" },
  { to: "/settings/webhooks", label: "Webhooks" },
  { to: "/settings/api-keys", label: "API Keys" },
  { to: "/settings/oauth-clients", label: "OAuth clients", owners: "register a program" },
  { to: "/settings/team", label: "Team", owners: "let somebody in, or change what they may do" },
  { to: "/settings/access-requests", label: "Access requests", owners: "answer who asks for access" },
  { to: "/settings/audit-log", label: "Audit log", owners: "read who has done what" },
  { to: "/settings/security", label: "Security" },
  { to: "/settings/versions", label: "Versions" },
];

const usePlace = (): Place | undefined => {
  const path = useLocation({ select: ({ pathname }) => pathname });
  const current = currentOf(
    PLACES.map(({ to }) => to),
    path,
  );
  return PLACES.find(({ to }) => to === current);
};

/** What is set up once, beside what is looked at every day. */
export const Settings = () => {
  const isOwner = useIsOwner();
  const place = usePlace();
  const row = useCurrentInSight();
  return (
    <div className={style.settings}>
      <nav aria-label="Settings" ref={row} className={style.places}>
        {PLACES.filter(({ owners }) => isOwner || owners === undefined).map(({ to, label }) => (
          <Link key={to} to={to} className={style.place}>
            {label}
          </Link>
        ))}
      </nav>
      <div className={style.page}>
        {isOwner || place?.owners === undefined ? (
          <Outlet />
        ) : (
          // By an owner's link: nothing of the page is asked for.
          <Page key={place.to} title={place.label}>
            <p>
              <AskOwner to={place.owners} />
            </p>
          </Page>
        )}
      </div>
    </div>
  );
};
