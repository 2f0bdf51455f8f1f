import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { rejections } from "../../api/settings-queries.ts";
import { standsInTheWay } from "../../api/stands-in-the-way.ts";
import { useMayChange } from "../../app/roles.ts";
import { say } from "../../app/toasts.tsx";
import { visible } from "../../app/visible.ts";
import { numberText } from "../../app/words.ts";
import { Button } from "../../parts/button.tsx";
import { Item, List, More } from "../../parts/list.tsx";
import { NotRenewed } from "../../parts/not-renewed.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Raw } from "../../parts/raw.tsx";
import { Time } from "../../parts/time.tsx";

/** What came from a source and is no reading, and why not. */
export const Rejections = ({ id }: { id: string }) => {
  const found = useInfiniteQuery(rejections(id));
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = found;
  const queries = useQueryClient();
  const mayChange = useMayChange();
  const retry = useMutation({
    mutationFn: () =>
      api.post("/v1/integrations/sources/{id}/rejections/retry", { params: { path: { id } } }),
    onSuccess: async ({ retried, readings, remaining }) => {
      say(
        `${numberText(retried)} tried: ${numberText(readings)} readings, ${numberText(remaining)} are left.`,
      );
      await queries.invalidateQueries({ queryKey: ["sources"] });
    },
  });
  const rows = data?.pages.flatMap((page) => page.rejections) ?? [];
  const problem = standsInTheWay(found);
  if (problem !== null) return <Problem error={problem} retry={() => void found.refetch()} />;
  if (rows.length === 0) return null;
  return (
    <section aria-label="Rejected messages">
      <h2>Rejected messages</h2>
      <NotRenewed of={found} />
      {mayChange && (
        <p>
          <Button disabled={retry.isPending} onClick={() => retry.mutate()}>
            Try them again
          </Button>
        </p>
      )}
      {retry.error !== null && <Problem error={retry.error} />}
      <List label="Rejected messages">
        {rows.map(({ at, reason, detail, payload, element }) => (
          <Item
            key={`${at} ${element?.index ?? ""} ${payload}`}
            title={reason.replaceAll("_", " ")}
            under={
              <>
                <Time at={Date.parse(at)} /> · <bdi>{visible(detail)}</bdi>
                <details>
                  <summary>The message</summary>
                  <Raw what="The message" text={payload} />
                </details>
              </>
            }
          />
        ))}
      </List>
      <More hasMore={hasNextPage} isFetching={isFetchingNextPage} more={() => void fetchNextPage()} />
    </section>
  );
};
