import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { signalNames } from "../../api/queries.ts";
import { deliveries } from "../../api/settings-queries.ts";
import type { Webhook } from "../../api/types.ts";
import { Choice } from "../../parts/choice.tsx";
import { Empty } from "../../parts/empty.tsx";
import { List, More } from "../../parts/list.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { DeliveryItem } from "./delivery-item.tsx";
import { HeldBackNote } from "./held-back-note.tsx";

const STATUSES = ["all", "pending", "delivered", "failed"] as const;

/** What a webhook was sent, the newest first; what is under way is seen to arrive. */
export const Deliveries = ({ webhook }: { webhook: Webhook }) => {
  const [status, setStatus] = useState<(typeof STATUSES)[number]>("all");
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    deliveries(webhook.id, status === "all" ? undefined : status),
  );
  const rows = data?.pages.flatMap((page) => page.deliveries) ?? [];
  const { data: names } = useQuery(signalNames(rows.flatMap(({ signalId }) => signalId ?? [])));
  return (
    <section aria-label="Deliveries">
      <h2>Deliveries</h2>
      <HeldBackNote webhook={webhook} />
      <Choice legend="Status" name="delivery-status" values={STATUSES} chosen={status} choose={setStatus} />
      <Waiting lines={4} of={{ data, error, refetch }} />
      {data !== undefined && rows.length === 0 && (
        <Empty>{status === "all" ? "Nothing was sent yet." : "Nothing of this kind was sent."}</Empty>
      )}
      {rows.length > 0 && (
        <List label="Deliveries">
          {rows.map((delivery) => (
            <DeliveryItem
              key={delivery.id}
              delivery={delivery}
              webhook={webhook}
              signalName={names?.get(delivery.signalId ?? "")}
            />
          ))}
        </List>
      )}
      <More hasMore={hasNextPage} isFetching={isFetchingNextPage} more={() => void fetchNextPage()} />
    </section>
  );
};
