import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api/client.ts";
import { deliveries } from "../../api/settings-queries.ts";
import type { Delivery } from "../../api/types.ts";
import { useMayChange } from "../../app/roles.ts";
import { say } from "../../app/toasts.tsx";
import { Button } from "../../parts/button.tsx";
import { Choice } from "../../parts/choice.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Item, List, More } from "../../parts/list.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Raw } from "../../parts/raw.tsx";
import { StatusMark } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import style from "./source.module.css";

const STATUSES = ["all", "pending", "delivered", "failed"] as const;
const MARKS = {
  delivered: "active",
  pending: "degraded",
  held: "degraded",
  failed: "failed",
  discarded: "paused",
  grouped: "paused",
} as const;

const attemptText = ({ attempts }: Delivery): string => {
  const last = attempts.at(-1);
  if (last === undefined) return "not attempted yet";
  const how = last.responseStatus === null ? (last.code ?? last.detail) : `status ${last.responseStatus}`;
  return `${attempts.length === 1 ? "1 attempt" : `${attempts.length} attempts`}, ${how} after ${Math.round(last.durationMs)} ms`;
};

const DeliveryItem = ({ delivery, webhookId }: { delivery: Delivery; webhookId: string }) => {
  const { id, event, eventId, status, createdAt, attempts, nextAttemptAt } = delivery;
  const mayChange = useMayChange();
  const queries = useQueryClient();
  const resend = useMutation({
    mutationFn: () =>
      api.post("/v1/integrations/webhooks/{id}/deliveries/{deliveryId}/resend", {
        params: { path: { id: webhookId, deliveryId: id } },
      }),
    onSuccess: async () => {
      // Said beside the list, where it is to be seen however soon it has arrived.
      say("Queued: it is sent again.");
      await queries.invalidateQueries({ queryKey: ["deliveries", webhookId] });
    },
  });
  return (
    <Item
      mark={<StatusMark status={MARKS[status]} label={status} />}
      title={<code>{event}</code>}
      under={
        <>
          <Time at={Date.parse(createdAt)} /> · {attemptText(delivery)}
          {nextAttemptAt !== null && (
            <>
              {" "}
              · next attempt <Time at={Date.parse(nextAttemptAt)} />
            </>
          )}
          {attempts.length > 0 && (
            <details>
              <summary>Attempts</summary>
              <ol className={style.steps}>
                {attempts.map(({ number, at, detail, responseBody }) => (
                  <li key={number}>
                    <Time at={Date.parse(at)} />: {detail}
                    {responseBody !== null && responseBody !== "" && (
                      <Raw what={`What attempt ${number} was answered`} text={responseBody} />
                    )}
                  </li>
                ))}
              </ol>
              <p>
                Event <code>{eventId}</code>
              </p>
            </details>
          )}
          {resend.error !== null && <Problem error={resend.error} />}
        </>
      }
    >
      {mayChange && (
        <Button
          disabled={resend.isPending}
          aria-label={`Send ${event} of ${createdAt} again`}
          onClick={() => resend.mutate()}
        >
          Send again
        </Button>
      )}
    </Item>
  );
};

/** What a webhook was sent, the newest first; what is under way is seen to arrive. */
export const Deliveries = ({ webhookId }: { webhookId: string }) => {
  const [status, setStatus] = useState<(typeof STATUSES)[number]>("all");
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    deliveries(webhookId, status === "all" ? undefined : status),
  );
  const rows = data?.pages.flatMap((page) => page.deliveries) ?? [];
  return (
    <section aria-label="Deliveries">
      <h2>Deliveries</h2>
      <Choice legend="Status" name="delivery-status" values={STATUSES} chosen={status} choose={setStatus} />
      <Waiting lines={4} of={{ data, error, refetch }} />
      {data !== undefined && rows.length === 0 && <Empty>Nothing of this kind was sent.</Empty>}
      {rows.length > 0 && (
        <List label="Deliveries">
          {rows.map((delivery) => (
            <DeliveryItem key={delivery.id} delivery={delivery} webhookId={webhookId} />
          ))}
        </List>
      )}
      <More hasMore={hasNextPage} isFetching={isFetchingNextPage} more={() => void fetchNextPage()} />
    </section>
  );
};
