import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api } from "./client.ts";
import type { Signal } from "./types.ts";
import { at, bounded, whole } from "./whole.ts";
import { whoIsSignedIn } from "./whose.ts";
import { withTag } from "./with-tag.ts";
import { worstAlerts } from "./worst-alerts.ts";

const PAGE = 200;

export const me = queryOptions({
  queryKey: ["me", "who"],
  queryFn: whoIsSignedIn,
  staleTime: 60_000,
});

export const status = queryOptions({
  queryKey: ["status"],
  queryFn: () => api.get("/v1/status"),
  refetchInterval: 10_000,
});

export type SignalStatus = "active" | "failed" | "paused";
export type SignalSort = "name" | "-name" | "createdAt" | "-createdAt";
export interface SignalFilter {
  readonly q?: string | undefined;
  readonly status?: SignalStatus | undefined;
  readonly label?: readonly string[] | undefined;
  /** The id of the source that has made them. */
  readonly source?: string | undefined;
  readonly sort?: SignalSort | undefined;
}

export const signals = ({ q, status, label, source, sort }: SignalFilter) =>
  infiniteQueryOptions({
    queryKey: ["signals", "list", { q, status, label, source, sort }],
    queryFn: ({ pageParam }) =>
      api.get("/v1/signals", {
        params: {
          query: {
            ...at(pageParam, PAGE),
            ...(q === undefined || q === "" ? {} : { q }),
            ...(status === undefined ? {} : { status }),
            ...(label === undefined || label.length === 0 ? {} : { label: [...label] }),
            ...(source === undefined ? {} : { sourceId: source }),
            sort: sort ?? "name",
          },
        },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

/** With its revision, for who is about to change it. */
export const signal = (id: string) =>
  queryOptions({
    queryKey: ["signals", "one", id],
    queryFn: async () => {
      const { data, tag } = withTag(await api.raw.GET("/v1/signals/{id}", { params: { path: { id } } }));
      return { ...data, tag };
    },
  });

const FIRING = 100;

/** The worst that fire; unless `isWhole`, there are more. */
export const firing = queryOptions({
  queryKey: ["alerts", "firing"],
  queryFn: () =>
    worstAlerts(FIRING, (severity) =>
      api.get("/v1/alerts", {
        params: {
          query: {
            state: ["firing"],
            limit: FIRING,
            ...(severity === undefined ? {} : { severity: [severity] }),
          },
        },
      }),
    ),
  refetchInterval: 15_000,
});

/** How many alerts of each rule fire; unless `isWhole`, there may be more of any. */
export const firingByRule = queryOptions({
  queryKey: ["alerts", "firing", "by-rule"],
  queryFn: async () => {
    const { items, isWhole } = await bounded(async (cursor) => {
      const page = await api.get("/v1/alerts", { params: { query: { ...at(cursor), state: ["firing"] } } });
      return { items: page.alerts, next: page.nextCursor };
    });
    const counts = new Map<string, number>();
    for (const { ruleId } of items) counts.set(ruleId, (counts.get(ruleId) ?? 0) + 1);
    return { counts, isWhole };
  },
  refetchInterval: 15_000,
});

/** So many ids one request may name. */
const NAMES_AT_ONCE = 100;
/** A signal may be renamed while a page is left open. */
const NAMES_EVERY_MS = 60_000;

/** What signals are called, by their ids: those that a page of something else names. */
export const signalNames = (ids: readonly string[]) => {
  const asked = [...new Set(ids)].sort();
  return queryOptions({
    queryKey: ["signals", "names", asked],
    queryFn: async () => {
      const portions = Array.from({ length: Math.ceil(asked.length / NAMES_AT_ONCE) }, (_, n) =>
        asked.slice(n * NAMES_AT_ONCE, (n + 1) * NAMES_AT_ONCE),
      );
      const found = await Promise.all(
        portions.map((id) => api.get("/v1/signals", { params: { query: { id, limit: NAMES_AT_ONCE } } })),
      );
      return new Map(found.flatMap((page) => page.signals.map(({ id, name }) => [id, name] as const)));
    },
    enabled: asked.length > 0,
    staleTime: NAMES_EVERY_MS,
    refetchInterval: NAMES_EVERY_MS,
    placeholderData: keepPreviousData,
  });
};

export type AlertState = "pending" | "firing" | "resolved";
export type Severity = "info" | "warning" | "critical";
export interface AlertFilter {
  readonly state?: AlertState | undefined;
  readonly severity?: Severity | undefined;
  readonly ruleId?: string | undefined;
  readonly signalId?: string | undefined;
}
const ALERTS = 50;

export const alerts = ({ state, severity, ruleId, signalId }: AlertFilter) =>
  infiniteQueryOptions({
    queryKey: ["alerts", "list", { state, severity, ruleId, signalId }],
    queryFn: ({ pageParam }) =>
      api.get("/v1/alerts", {
        params: {
          query: {
            ...at(pageParam, ALERTS),
            ...(state === undefined ? {} : { state: [state] }),
            ...(severity === undefined ? {} : { severity: [severity] }),
            ...(ruleId === undefined ? {} : { ruleId: [ruleId] }),
            ...(signalId === undefined ? {} : { signalId: [signalId] }),
          },
        },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: 15_000,
  });

export const alert = (id: string) =>
  queryOptions({
    queryKey: ["alerts", "one", id],
    queryFn: () => api.get("/v1/alerts/{id}", { params: { path: { id } } }),
    refetchInterval: 15_000,
  });

export const rules = queryOptions({
  queryKey: ["rules", "list"],
  queryFn: () =>
    whole(async (cursor) => {
      const page = await api.get("/v1/alerts/rules", { params: { query: at(cursor) } });
      return { items: page.rules, next: page.nextCursor };
    }),
});

export const rule = (id: string) =>
  queryOptions({
    queryKey: ["rules", "one", id],
    queryFn: () => api.get("/v1/alerts/rules/{id}", { params: { path: { id } } }),
  });

/** With its revision, for who is about to change it. */
export const ruleWithTag = (id: string) =>
  queryOptions({
    queryKey: ["rules", "with-tag", id],
    queryFn: async () => {
      const answer = await api.raw.GET("/v1/alerts/rules/{id}", { params: { path: { id } } });
      const { data, tag } = withTag(answer);
      return { rule: data, tag };
    },
    gcTime: 0,
  });

export const silences = queryOptions({
  queryKey: ["silences", "list"],
  queryFn: () =>
    whole(async (cursor) => {
      const page = await api.get("/v1/alerts/silences", { params: { query: at(cursor) } });
      return { items: page.silences, next: page.nextCursor };
    }),
});

export const silence = (id: string) =>
  queryOptions({
    queryKey: ["silences", "one", id],
    queryFn: () => api.get("/v1/alerts/silences/{id}", { params: { path: { id } } }),
  });

export const webhooks = queryOptions({
  queryKey: ["webhooks", "list"],
  queryFn: () =>
    whole(async (cursor) => {
      const page = await api.get("/v1/integrations/webhooks", { params: { query: at(cursor) } });
      return { items: page.webhooks, next: page.nextCursor };
    }),
});

export const sources = queryOptions({
  queryKey: ["sources", "list"],
  queryFn: () =>
    whole(async (cursor) => {
      const page = await api.get("/v1/integrations/sources", { params: { query: at(cursor) } });
      return { items: page.sources, next: page.nextCursor };
    }),
  refetchInterval: 10_000,
});

const FOUND = 20;

/** Those that are called so: until an answer is there, the one before it stands in, which is to another question. */
export const called = (found: readonly Signal[], text: string): Signal[] => {
  const wanted = text.toLowerCase();
  return found.filter(({ id, name, externalId }) =>
    [id, name, externalId ?? ""].some((one) => one.toLowerCase().includes(wanted)),
  );
};

/** A few signals whose name or id has the text in it; of an empty one, the first by name. */
export const signalsFound = (q: string, label: readonly string[] = []) =>
  queryOptions({
    queryKey: ["signals", "found", q, label],
    queryFn: () =>
      api.get("/v1/signals", {
        params: {
          query: {
            limit: FOUND,
            sort: "name",
            ...(q === "" ? {} : { q }),
            ...(label.length === 0 ? {} : { label: [...label] }),
          },
        },
      }),
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  });
