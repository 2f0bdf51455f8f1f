import { useQueries, useQuery } from "@tanstack/react-query";
import { webhooks } from "../../api/queries.ts";
import { standsInTheWay } from "../../api/stands-in-the-way.ts";
import type { Alert, Delivery, Webhook } from "../../api/types.ts";
import { NotRenewed } from "../../parts/not-renewed.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Scrolled } from "../../parts/scrolled.tsx";
import { Soon } from "../../parts/soon.tsx";
import { Time } from "../../parts/time.tsx";
import style from "./alert.module.css";
import { type AlertEvent, deliveriesOf, eventsOf, heldBack, isForNobody, mailedTo, untold } from "./told.ts";

const ASKED_WEBHOOKS = 20;
const ASKED_EVENTS = 20;

interface Row {
  readonly key: string;
  readonly event: AlertEvent;
  readonly whom: string;
  readonly how: string;
}

const wentText = ({ status, attempts }: Delivery): string =>
  attempts.length > 1 ? `${status}, ${attempts.length} attempts` : status;

type Heard = readonly (readonly [Webhook, ReadonlyMap<string, Delivery | null | undefined>])[];

/** Who was told of an event, one row each; nobody is one, too. */
const rowsOf = (event: AlertEvent, heard: Heard, hooks: readonly Webhook[]): Row[] => {
  const { id } = event;
  const held = heldBack(event);
  if (held !== null) return [{ key: id, event, whom: "nobody", how: held }];
  if (isForNobody(event)) return [{ key: id, event, whom: "nobody", how: "its rule tells nobody of it" }];
  const emails = mailedTo(event);
  const rows: Row[] = [
    ...heard.flatMap(([hook, deliveries]) => {
      const delivery = deliveries.get(id);
      if (delivery === null || !deliveries.has(id)) return [];
      const whom = hook.name ?? hook.url;
      const how = delivery === undefined ? "not known" : wentText(delivery);
      return [{ key: `${id} ${hook.id}`, event, whom, how }];
    }),
    ...(emails.length === 0
      ? []
      : [
          {
            key: `${id} e-mail`,
            event,
            whom: emails.join(", "),
            how: "by e-mail; whether it arrived is not known",
          },
        ]),
  ];
  if (rows.length > 0) return rows;
  return [{ key: id, event, ...untold(event, hooks) }];
};

const Table = ({ rows }: { rows: readonly Row[] }) => (
  <Scrolled label="Who was told of what">
    <table className={style.readings}>
      <thead>
        <tr>
          <th scope="col">At</th>
          <th scope="col">Event</th>
          <th scope="col">Who</th>
          <th scope="col">How it went</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, event, whom, how }) => (
          <tr key={key}>
            <td>
              <Time at={Date.parse(event.createdAt)} />
            </td>
            <td>{event.event}</td>
            <td>
              <bdi>{whom}</bdi>
            </td>
            <td>{how}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </Scrolled>
);

/** Who heard of an alert's events, by webhook and by e-mail, and how that went. */
export const ToldTo = ({ alert }: { alert: Alert }) => {
  const hooks = useQuery(webhooks);
  const told = useQuery(eventsOf(alert));
  const asked = (hooks.data ?? []).slice(0, ASKED_WEBHOOKS);
  const events = told.data?.events.slice(-ASKED_EVENTS) ?? [];
  const found = useQueries({ queries: asked.map(({ id }) => deliveriesOf(id, events)) });
  if (alert.firedAt === null) return <p>It has not fired: nobody hears of it before it does.</p>;
  const failed = [hooks, told, ...found].find((one) => standsInTheWay(one) !== null);
  if (failed !== undefined) return <Problem error={failed.error} retry={() => void failed.refetch()} />;
  if (hooks.data === undefined || told.data === undefined || found.some(({ data }) => data === undefined))
    return <Soon />;
  if (events.length === 0) return <p>It is not known: no event of it is stored yet, or any more.</p>;
  const heard: Heard = asked.flatMap((hook, n) => {
    const deliveries = found[n]?.data;
    return deliveries === undefined ? [] : [[hook, deliveries] as const];
  });
  const old = [hooks, told, ...found].find(({ error }) => error !== null);
  const today = hooks.data;
  const isCut = events.length < told.data.events.length || !told.data.isWhole;
  return (
    <>
      {old !== undefined && <NotRenewed of={old} />}
      <Table rows={events.flatMap((event) => rowsOf(event, heard, today))} />
      {isCut && <p>Only some of its events are shown.</p>}
      {asked.length < today.length && (
        <p>
          Only the first {ASKED_WEBHOOKS} of {today.length} webhooks were asked; of the others it is not
          known.
        </p>
      )}
    </>
  );
};
