import { useQuery } from "@tanstack/react-query";
import { Link, Outlet } from "@tanstack/react-router";
import { lazy, useEffect } from "react";
import { me } from "../api/queries.ts";
import { Button } from "../parts/button.tsx";
import { useCurrentInSight } from "../parts/current-in-sight.ts";
import { AccountMenu } from "./account-menu.tsx";
import { Brand } from "./brand.tsx";
import { ConnectionBanner } from "./connection-banner.tsx";
import { FreezeButton } from "./freeze-button.tsx";
import { Keyboard } from "./keyboard.tsx";
import { Lazily } from "./lazily.tsx";
import { NewVersion } from "./new-version.tsx";
import { paletteAsked } from "./palette-asked.ts";
import { proofAsked } from "./proof.ts";
import { SecondFactorFirst } from "./second-factor-first.tsx";
import style from "./shell.module.css";
import { standing } from "./standing.ts";
import { Toasts } from "./toasts.tsx";
import { useTold } from "./told-value.ts";

// What is rarely open comes when it is.
const ProofDialog = lazy(() => import("./proof-dialog.tsx"));
const signInAgain = () => import("./sign-in-again.tsx");
const SignInAgain = lazy(signInAgain);

const PLACES = [
  { to: "/", label: "Overview" },
  { to: "/signals", label: "Signals" },
  { to: "/alerts", label: "Alerts" },
  { to: "/settings", label: "Settings" },
] as const;

export const Shell = () => {
  const { data } = useQuery(me);
  const isProofAsked = useTold(proofAsked) !== null;
  const may = useTold(standing);
  const row = useCurrentInSight();
  // It is wanted when the service may be another one already; what is typed must not be lost by that.
  useEffect(() => void signInAgain().catch(() => undefined), []);
  return (
    <>
      <a className={style.skip} href="#main">
        Skip to the page
      </a>
      <header className={style.bar}>
        <Brand />
        <nav aria-label="Main" ref={row} className={style.nav}>
          {PLACES.map(({ to, label }) => (
            <Link key={to} to={to} activeOptions={{ exact: to === "/" }} className={style.place}>
              {label}
            </Link>
          ))}
        </nav>
        <FreezeButton />
        <Button kind="quiet" aria-haspopup="dialog" onClick={() => paletteAsked.set(true)}>
          Search
        </Button>
        <div className={style.account}>
          <AccountMenu email={data?.email ?? ""} />
        </div>
      </header>
      <ConnectionBanner />
      <NewVersion />
      <main id="main" className={style.main}>
        {may === "no-second-factor" ? <SecondFactorFirst /> : <Outlet />}
      </main>
      <Keyboard />
      <Toasts />
      <Lazily>
        {may === "out" && <SignInAgain />}
        {isProofAsked && <ProofDialog hasSecondFactor={data?.secondFactor === true} />}
      </Lazily>
    </>
  );
};
