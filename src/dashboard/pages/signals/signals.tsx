import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { type SignalFilter, signals } from "../../api/queries.ts";
import { useUnlessPaused } from "../../app/live.ts";
import { useMayChange } from "../../app/roles.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { More } from "../../parts/list.tsx";
import { NoSignals } from "../../parts/no-signals.tsx";
import { Page } from "../../parts/page.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { SignalTable } from "./signal-table.tsx";

export const Signals = () => {
  const filter = useSearch({ from: "/signals" });
  const navigate = useNavigate({ from: "/signals" });
  const { data, error, refetch, hasNextPage, isFetching, fetchNextPage } = useInfiniteQuery({
    ...signals(filter),
    enabled: useUnlessPaused(),
  });
  const change = (next: (now: SignalFilter) => SignalFilter) =>
    void navigate({ search: next, replace: true });
  const mayChange = useMayChange();
  const rows = data?.pages.flatMap((page) => page.signals) ?? [];
  const isFiltered = Object.keys(filter).some((name) => name !== "sort");
  return (
    <Page title="Signals">
      <FilterBar filter={filter} change={change} />
      <Waiting lines={8} of={{ data, error, refetch }} />
      {data !== undefined && rows.length === 0 && isFiltered && (
        <Empty action={<Button onClick={() => change(() => ({}))}>Show all signals</Button>}>
          No signal is like this.
        </Empty>
      )}
      {data !== undefined && rows.length === 0 && !isFiltered && (
        <NoSignals action={mayChange && <Link to="/settings/integrations/new">Connect a source</Link>} />
      )}
      {rows.length > 0 && (
        <SignalTable
          rows={rows}
          sort={filter.sort ?? "name"}
          changeSort={(sort) => change((now) => ({ ...now, sort }))}
          hasMore={hasNextPage && !isFetching && error === null}
          more={() => void fetchNextPage()}
        />
      )}
      {error !== null && (
        <More hasMore={hasNextPage} isFetching={isFetching} more={() => void fetchNextPage()} />
      )}
    </Page>
  );
};
