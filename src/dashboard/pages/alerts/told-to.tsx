import { useQueries, useQuery } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { webhooks } from "../../api/queries.ts";
import { standsInTheWay } from "../../api/stands-in-the-way.ts";
import type { Alert } from "../../api/types.ts";
import { timeText } from "../../app/words.ts";
import { Problem } from "../../parts/problem.tsx";
import { Soon } from "../../parts/soon.tsx";
import style from "./alert.module.css";

const KINDS = ["alert.firing", "alert.resolved", "alert.acknowledged"] as const;
/** Deliveries are made with their event, or a little later where it was held back. */
const AFTER_MS = 5 * 60_000;
const ASKED_WEBHOOKS = 20;

const spanOf = ({ firedAt, pendingSince, resolvedAt }: Alert) => {
  const fromMs = Date.parse(firedAt ?? pendingSince ?? "") - 1_000;
  const toMs = (resolvedAt === null ? Date.now() : Date.parse(resolvedAt)) + AFTER_MS;
  return { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
};

const deliveriesOf = (webhookId: string, { signalId, ...alert }: Alert) => ({
  queryKey: ["deliveries", "of-alert", webhookId, alert.id, alert.state],
  queryFn: async () => {
    const query = { ...spanOf({ signalId, ...alert }), event: [...KINDS], limit: 200 };
    const { deliveries } = await api.get("/v1/integrations/webhooks/{id}/deliveries", {
      params: { path: { id: webhookId }, query },
    });
    return deliveries.filter((delivery) => delivery.signalId === signalId);
  },
});

/** Which webhooks heard of an alert's signal meanwhile, and how that went. */
export const ToldTo = ({ alert }: { alert: Alert }) => {
  const hooks = useQuery(webhooks);
  const asked = (hooks.data ?? []).slice(0, ASKED_WEBHOOKS);
  const found = useQueries({ queries: asked.map(({ id }) => deliveriesOf(id, alert)) });
  if (standsInTheWay(hooks) !== null)
    return <Problem error={hooks.error} retry={() => void hooks.refetch()} />;
  if (hooks.data === undefined || found.some(({ isPending }) => isPending)) return <Soon />;
  const failed = found.find(({ error }) => error !== null);
  if (failed !== undefined) return <Problem error={failed.error} retry={() => void failed.refetch()} />;
  const rows = found.flatMap(({ data = [] }, n) => data.map((delivery) => ({ ...delivery, hook: asked[n] })));
  if (rows.length === 0)
    return (
      <p>
        {asked.length === 0
          ? "There is no webhook yet."
          : "No webhook was told of it: none wants its events, or a silence held them back."}
      </p>
    );
  return (
    <div className={style.scroll}>
      <table className={style.readings}>
        <thead>
          <tr>
            <th scope="col">At</th>
            <th scope="col">Event</th>
            <th scope="col">Webhook</th>
            <th scope="col">How it went</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ id, createdAt, event, hook, status, attempts }) => (
            <tr key={id}>
              <td>
                <time dateTime={createdAt}>{timeText(Date.parse(createdAt))}</time>
              </td>
              <td>{event}</td>
              <td>
                <bdi>{hook?.name ?? hook?.url}</bdi>
              </td>
              <td>
                {status}
                {attempts.length > 1 && `, ${attempts.length} attempts`}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};
