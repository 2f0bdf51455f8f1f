import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { webhooks } from "../../api/queries.ts";
import type { Webhook } from "../../api/types.ts";
import { useMayChange } from "../../app/roles.ts";
import { Age } from "../../parts/age.tsx";
import { buttonClass } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Item, List } from "../../parts/list.tsx";
import { Page } from "../../parts/page.tsx";
import { StatusMark } from "../../parts/status.tsx";
import { Waiting } from "../../parts/waiting.tsx";

/** A webhook as people see it: off, in trouble, or well. */
export const WebhookMark = ({ status, statusReason, health }: Webhook) => {
  if (status === "disabled")
    return <StatusMark status={statusReason === null ? "paused" : "failed"} label="off" />;
  if (health.circuit !== "closed") return <StatusMark status="failed" label="left alone" />;
  if (health.failuresInRow > 0) return <StatusMark status="degraded" label="failing" />;
  return <StatusMark status="active" label="well" />;
};

const isInTrouble = ({ statusReason, health }: Webhook): boolean =>
  statusReason !== null || health.failingSince !== null;

/** What is wrong with a webhook, if anything is. */
export const Trouble = ({ webhook: { statusReason, health } }: { webhook: Webhook }) => {
  if (statusReason !== null) return statusReason;
  if (health.failingSince === null) return null;
  return (
    <>
      {health.failuresInRow} failures in a row, for <Age at={Date.parse(health.failingSince)} />
    </>
  );
};

export const Webhooks = () => {
  const { data, error, refetch } = useQuery({ ...webhooks, refetchInterval: 10_000 });
  const mayChange = useMayChange();
  const create = mayChange && (
    <Link data-new="" to="/settings/webhooks/new" className={buttonClass("main")}>
      New webhook
    </Link>
  );
  return (
    <Page title="Webhooks" actions={create}>
      <Waiting lines={4} of={{ data, error, refetch }} />
      {data?.length === 0 && <Empty action={create}>No program is told of what happens yet.</Empty>}
      {data !== undefined && data.length > 0 && (
        <List label="Webhooks">
          {data.map((webhook) => (
            <Item
              key={webhook.id}
              mark={<WebhookMark {...webhook} />}
              title={
                <Link to="/settings/webhooks/$id" params={{ id: webhook.id }}>
                  <bdi>{webhook.name ?? webhook.url}</bdi>
                </Link>
              }
              under={
                <>
                  {webhook.name !== null && <bdi>{webhook.url}</bdi>} {webhook.events.join(", ")}
                  {isInTrouble(webhook) && (
                    <>
                      <br />▲ <Trouble webhook={webhook} />
                    </>
                  )}
                </>
              }
            />
          ))}
        </List>
      )}
    </Page>
  );
};
