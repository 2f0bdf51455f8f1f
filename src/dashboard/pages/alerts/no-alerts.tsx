import { Link } from "@tanstack/react-router";
import type { AlertFilter } from "../../api/queries.ts";
import { Empty } from "../../parts/empty.tsx";

/** In place of a list without an alert: why there is none, and what can be done about it. */
export const NoAlerts = ({ filter, mayChange }: { filter: AlertFilter; mayChange: boolean }) => {
  const isAll = Object.keys(filter).length === 0;
  if (isAll && mayChange)
    return <Empty action={<Link to="/alerts/rules/new">Make a rule</Link>}>Nothing has fired yet.</Empty>;
  const why = filter.state === "firing" ? "No alert fires." : "No alert is like this.";
  return (
    <Empty action={<Link to="/alerts/rules">See the rules</Link>}>
      {isAll ? "Nothing has fired yet." : why}
    </Empty>
  );
};
