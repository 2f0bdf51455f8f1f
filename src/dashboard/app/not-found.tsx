import { Link } from "@tanstack/react-router";
import { Empty } from "../parts/empty.tsx";
import { Page } from "../parts/page.tsx";

export const NotFound = () => (
  <Page title="Not found">
    <Empty action={<Link to="/">Go to the overview</Link>}>There is nothing at this address.</Empty>
  </Page>
);
