import { Link, type LinkProps, Outlet } from "@tanstack/react-router";
import { useIsOwner } from "../../app/roles.ts";
import { useCurrentInSight } from "../../parts/current-in-sight.ts";
import style from "./settings.module.css";

interface Place {
  readonly to: NonNullable<LinkProps["to"]>;
  readonly label: string;
  readonly isOwners?: boolean;
}

const PLACES: readonly Place[] = [
  { to: "/settings/integrations", label: "Integrations" },
  { to: "/settings/webhooks", label: "Webhooks" },
  { to: "/settings/api-keys", label: "API Keys", isOwners: true },
  { to: "/settings/oauth-clients", label: "OAuth clients", isOwners: true },
  { to: "/settings/team", label: "Team", isOwners: true },
  { to: "/settings/access-requests", label: "Access requests", isOwners: true },
  { to: "/settings/audit-log", label: "Audit log", isOwners: true },
  { to: "/settings/security", label: "Security" },
  { to: "/settings/versions", label: "Versions" },
];

/** What is set up once, beside what is looked at every day. */
export const Settings = () => {
  const isOwner = useIsOwner();
  const row = useCurrentInSight();
  return (
    <div className={style.settings}>
      <nav aria-label="Settings" ref={row} className={style.places}>
        {PLACES.filter((place) => isOwner || place.isOwners !== true).map(({ to, label }) => (
          <Link key={to} to={to} className={style.place}>
            {label}
          </Link>
        ))}
      </nav>
      <div className={style.page}>
        <Outlet />
      </div>
    </div>
  );
};
