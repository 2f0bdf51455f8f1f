import { Link, Outlet, useLocation } from "@tanstack/react-router";
import { buttonClass } from "../parts/button.tsx";
import { Empty } from "../parts/empty.tsx";
import { Page } from "../parts/page.tsx";

const SECURITY = "/settings/security";

/** In place of every page but the one that it is set up on. */
export const SecondFactorFirst = () => {
  const { pathname } = useLocation();
  if (pathname === SECURITY) return <Outlet />;
  return (
    <Page title="A second factor first">
      <Empty
        action={
          <Link to={SECURITY} className={buttonClass("main")}>
            Set it up
          </Link>
        }
      >
        This account asks everybody for a second factor, and you have none: until you have, nothing else can
        be seen or done here.
      </Empty>
    </Page>
  );
};
