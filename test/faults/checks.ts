import { isDeepStrictEqual } from "node:util";
import { createClient } from "@clickhouse/client";
import type { SignalServiceEvent } from "../../schemas/event.ts";
import { CLICKHOUSE_LOGIN } from "../support/clickhouse-server.ts";
import type { Sum, WhatWasLogged } from "../support/kept.ts";
import type { Stack } from "../support/stack.ts";
import { fatesOf } from "./fates.ts";
import type { Sender } from "./feed.ts";
import type { Rounds } from "./rounds.ts";

/** One thing that must hold, whether it does, and with which figures. */
export interface Check {
  readonly what: string;
  readonly holds: boolean;
  readonly figures: string;
}

const TABLES = {
  readings: "count() AS count, sum(toFloat64(strength)) AS dbm",
  readings_1m: "sum(count) AS count, sum(sum) AS dbm",
  readings_1h: "sum(count) AS count, sum(sum) AS dbm",
};

/** What a table has of each signal. */
const stored = async ({ clickHouse }: Stack, table: keyof typeof TABLES): Promise<Map<string, Sum>> => {
  const { user: username, password } = CLICKHOUSE_LOGIN;
  const client = createClient({ url: clickHouse.url, username, password, database: "signals" });
  try {
    const query = `SELECT signal_id AS id, ${TABLES[table]} FROM ${table} GROUP BY id`;
    const result = await client.query({ query, format: "JSONEachRow" });
    const rows = await result.json<{ id: string; count: string; dbm: number }>();
    return new Map(rows.map(({ id, count, dbm }) => [id, { count: Number(count), dbm }]));
  } finally {
    await client.close();
  }
};

export const checkReadings = async (stack: Stack, { sums, accepted }: WhatWasLogged): Promise<Check[]> => {
  const checks: Check[] = [];
  for (const table of ["readings", "readings_1m", "readings_1h"] as const) {
    const found = await stored(stack, table);
    const wrong = [...sums.keys()].filter((id) => !isDeepStrictEqual(found.get(id), sums.get(id)));
    const count = [...found.values()].reduce((sum, each) => sum + each.count, 0);
    checks.push({
      what: `accepted = stored in ${table}, signal by signal`,
      holds: wrong.length === 0 && found.size === sums.size && accepted > 0,
      figures: `${accepted} accepted, ${count} stored, ${wrong.length} of ${sums.size} signals differ`,
    });
  }
  return checks;
};

/** What became of the readings that were sent, each to all who were connected. */
export const checkAcceptance = (
  senders: readonly Sender[],
  rounds: Rounds,
  { replayed }: WhatWasLogged,
  ambiguousAppends: number,
): Check[] => {
  const ids = new Map(replayed.flatMap(({ data: { signal } }) => (signal ? [[signal.name, signal.id]] : [])));
  const { lost, unexplained, acceptedTwice, appendedTwice } = fatesOf(senders, rounds, ids);
  const ended = senders.reduce((sum, { sent }) => sum + sent.filter((one) => one.ended).length, 0);
  return [
    {
      what: "no reading accepted from two connections",
      holds: acceptedTwice === 0 && ids.size > 0,
      figures: `${acceptedTwice} of a signal and time that had come by another already`,
    },
    {
      what: "no reading appended twice, but where an append had no answer",
      holds: appendedTwice === 0 || ambiguousAppends > 0,
      figures: `${appendedTwice} appended twice, ${ambiguousAppends} appends without an answer`,
    },
    {
      what: "no reading lost but the last ones of a connection that ended",
      holds: unexplained === 0 && ids.size > 0,
      figures: `${lost} lost with ${ended} connections, ${unexplained} unexplained`,
    },
  ];
};

const bySignal = (events: readonly SignalServiceEvent[]) =>
  Map.groupBy(events, ({ data }) => data.signal?.id);

/** `told`: every page of `GET /v1/events`; `replayed`: the undisturbed run. */
export const checkEvents = (told: readonly SignalServiceEvent[], { replayed }: WhatWasLogged): Check[] => {
  const ofSignals = told.filter(({ sequence }) => sequence !== null);
  const ids = new Set(told.map(({ id }) => id));
  const [mine, theirs] = [bySignal(ofSignals), bySignal(replayed)];
  const inOrder = (events: readonly SignalServiceEvent[] = []) =>
    events.toSorted((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0));
  const differing = [...theirs.keys(), ...mine.keys()].filter(
    (id) => !isDeepStrictEqual(inOrder(mine.get(id)), inOrder(theirs.get(id))),
  );
  const gaps = [...mine.values()].filter(
    (events) => !inOrder(events).every(({ sequence }, index) => sequence === index + 1),
  );
  return [
    {
      what: "no event id twice in GET /v1/events",
      holds: ids.size === told.length && told.length > 0,
      figures: `${told.length} events, ${ids.size} ids`,
    },
    {
      what: "sequences without gaps",
      holds: gaps.length === 0 && mine.size > 0,
      figures: `${mine.size} signals, ${gaps.length} with gaps`,
    },
    {
      what: "events equal those of one undisturbed run over the log",
      holds: differing.length === 0 && replayed.length > 0,
      figures: `${replayed.length} there, ${ofSignals.length} here, ${differing.length} signals differ`,
    },
  ];
};
