import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../../api/client.ts";
import type { Delivery, Webhook } from "../../api/types.ts";
import { useMayChange } from "../../app/roles.ts";
import { say } from "../../app/toasts.tsx";
import { Button } from "../../parts/button.tsx";
import { Item } from "../../parts/list.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Raw } from "../../parts/raw.tsx";
import { StatusMark } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { Sent } from "./delivery-sent.tsx";
import style from "./source.module.css";

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

/** Each attempt and its answer, and what was sent: asked for once somebody looks. */
const Opened = ({ delivery, webhook }: { delivery: Delivery; webhook: Webhook }) => {
  const [isOpen, setOpen] = useState(false);
  const { attempts } = delivery;
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{attempts.length > 0 ? "Attempts, and what was sent" : "What is to be sent"}</summary>
      {isOpen && (
        <div className={style.opened}>
          {attempts.length > 0 && (
            <ol className={style.steps}>
              {attempts.map(({ number, at, detail, responseBody }) => (
                <li key={number}>
                  <Time at={Date.parse(at)} />: {detail}
                  {responseBody !== null && responseBody !== "" && (
                    <>
                      {" "}
                      It was answered:
                      <Raw what={`What attempt ${number} was answered`} text={responseBody} />
                    </>
                  )}
                </li>
              ))}
            </ol>
          )}
          <Sent delivery={delivery} isSigned={webhook.signing} />
        </div>
      )}
    </details>
  );
};

/** One that is deleted leads nowhere. */
const SignalOf = ({ id, name }: { id: string; name: string | undefined }) =>
  name === undefined ? (
    <code>{id}</code>
  ) : (
    <Link to="/signals/$id" params={{ id }}>
      <bdi>{name}</bdi>
    </Link>
  );

interface DeliveryProps {
  readonly delivery: Delivery;
  readonly webhook: Webhook;
  /** What its signal is called, once that is known. */
  readonly signalName: string | undefined;
}

/** What was sent of an event, how that went, and the way to send it again. */
export const DeliveryItem = ({ delivery, webhook, signalName }: DeliveryProps) => {
  const { id, event, signalId, status, createdAt, nextAttemptAt } = delivery;
  const webhookId = webhook.id;
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
      title={
        <>
          <code>{event}</code>
          {signalId !== null && (
            <>
              {" "}
              <SignalOf id={signalId} name={signalName} />
            </>
          )}
        </>
      }
      under={
        <>
          <Time at={Date.parse(createdAt)} /> · {attemptText(delivery)}
          {nextAttemptAt !== null && (
            <>
              {" "}
              · next attempt <Time at={Date.parse(nextAttemptAt)} />
            </>
          )}
          <Opened delivery={delivery} webhook={webhook} />
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
