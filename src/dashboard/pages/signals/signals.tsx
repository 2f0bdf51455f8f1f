import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type SignalFilter, signals } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Page } from "../../parts/page.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { SignalTable } from "./signal-table.tsx";

export const Signals = () => {
  const filter = useSearch({ from: "/signals" });
  const navigate = useNavigate({ from: "/signals" });
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    signals(filter),
  );
  const change = (next: SignalFilter) => void navigate({ search: next, replace: true });
  const rows = data?.pages.flatMap((page) => page.signals) ?? [];
  const isFiltered = Object.keys(filter).some((name) => name !== "sort");
  return (
    <Page title="Signals">
      <FilterBar filter={filter} change={change} />
      <Waiting lines={8} of={{ data, error, refetch }} />
      {data !== undefined && rows.length === 0 && (
        <Empty action={isFiltered ? <Button onClick={() => change({})}>Show all signals</Button> : undefined}>
          {isFiltered
            ? "No signal is like this."
            : "There are no signals yet: they come with their first reading."}
        </Empty>
      )}
      {rows.length > 0 && (
        <SignalTable
          rows={rows}
          sort={filter.sort ?? "name"}
          changeSort={(sort) => change({ ...filter, sort })}
          hasMore={hasNextPage && !isFetchingNextPage}
          more={() => void fetchNextPage()}
        />
      )}
    </Page>
  );
};
