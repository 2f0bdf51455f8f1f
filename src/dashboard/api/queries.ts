import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api } from "./client.ts";
import type { Signal } from "./types.ts";

const PAGE = 200;

export const me = queryOptions({
  queryKey: ["me", "who"],
  queryFn: () => api.get("/v1/me"),
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
  readonly sort?: SignalSort | undefined;
}

export const signals = ({ q, status, label, sort }: SignalFilter) =>
  infiniteQueryOptions({
    queryKey: ["signals", "list", { q, status, label, sort }],
    queryFn: ({ pageParam }) =>
      api.get("/v1/signals", {
        params: {
          query: {
            limit: PAGE,
            ...(pageParam === null ? {} : { cursor: pageParam }),
            ...(q === undefined || q === "" ? {} : { q }),
            ...(status === undefined ? {} : { status }),
            ...(label === undefined || label.length === 0 ? {} : { label: [...label] }),
            sort: sort ?? "name",
          },
        },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

export const signal = (id: string) =>
  queryOptions({
    queryKey: ["signals", "one", id],
    queryFn: () => api.get("/v1/signals/{id}", { params: { path: { id } } }),
  });

export const firing = queryOptions({
  queryKey: ["alerts", "firing"],
  queryFn: () => api.get("/v1/alerts", { params: { query: { state: ["firing"], limit: 100 } } }),
  refetchInterval: 15_000,
});

const NAMES_MAX = 100;

/** What signals are called, by their ids: those that a page of something else names. */
export const signalNames = (ids: readonly string[]) => {
  const asked = [...new Set(ids)].sort().slice(0, NAMES_MAX);
  return queryOptions({
    queryKey: ["signals", "names", asked],
    queryFn: async () => {
      const { signals: found } = await api.get("/v1/signals", {
        params: { query: { id: asked, limit: NAMES_MAX } },
      });
      return new Map(found.map(({ id, name }) => [id, name]));
    },
    enabled: asked.length > 0,
    staleTime: 60_000,
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
            limit: ALERTS,
            ...(pageParam === null ? {} : { cursor: pageParam }),
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

/** All pages of a list of which there are not many. */
const whole = async <One>(
  page: (cursor: string | null) => Promise<{ readonly items: readonly One[]; readonly next: string | null }>,
): Promise<One[]> => {
  const all: One[] = [];
  let cursor: string | null = null;
  do {
    const { items, next }: { readonly items: readonly One[]; readonly next: string | null } =
      await page(cursor);
    all.push(...items);
    cursor = next;
  } while (cursor !== null && all.length < WHOLE_MAX);
  return all;
};
const WHOLE_MAX = 2_000;
const LIMIT = 200;
const at = (cursor: string | null) => ({ limit: LIMIT, ...(cursor === null ? {} : { cursor }) });

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
      const { data, response } = await api.raw.GET("/v1/alerts/rules/{id}", { params: { path: { id } } });
      if (data === undefined) throw new Error("the answer has no content");
      return { rule: data, tag: response.headers.get("etag") };
    },
    // What is typed is not to be swept away by what comes anew.
    staleTime: Number.POSITIVE_INFINITY,
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

export const apiKeys = queryOptions({
  queryKey: ["api-keys"],
  queryFn: () =>
    whole(async (cursor) => {
      const page = await api.get("/v1/api-keys", { params: { query: at(cursor) } });
      return { items: page.apiKeys, next: page.nextCursor };
    }),
});
export const oauthClients = queryOptions({
  queryKey: ["oauth-clients"],
  queryFn: () =>
    whole(async (cursor) => {
      const page = await api.get("/v1/oauth/clients", { params: { query: at(cursor) } });
      return { items: page.clients, next: page.nextCursor };
    }),
});
export const members = queryOptions({
  queryKey: ["team", "members"],
  queryFn: () =>
    whole(async (cursor) => {
      const page = await api.get("/v1/members", { params: { query: at(cursor) } });
      return { items: page.members, next: page.nextCursor };
    }),
});
export const invitations = queryOptions({
  queryKey: ["team", "invitations"],
  queryFn: () =>
    whole(async (cursor) => {
      const page = await api.get("/v1/invitations", { params: { query: at(cursor) } });
      return { items: page.invitations, next: page.nextCursor };
    }),
});
export const account = queryOptions({ queryKey: ["team", "account"], queryFn: () => api.get("/v1/account") });
export const accessRequests = queryOptions({
  queryKey: ["access-requests"],
  queryFn: () =>
    whole(async (cursor) => {
      const page = await api.get("/v1/access-requests", { params: { query: at(cursor) } });
      return { items: page.accessRequests, next: page.nextCursor };
    }),
  refetchInterval: 60_000,
});

export interface AuditFilter {
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  readonly actor?: string | undefined;
}
export const auditLog = ({ action, target, actor }: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ["audit-log", { action, target, actor }],
    queryFn: ({ pageParam }) =>
      api.get("/v1/audit-log", {
        params: {
          query: {
            limit: 50,
            ...(pageParam === null ? {} : { cursor: pageParam }),
            ...(action === undefined ? {} : { action }),
            ...(target === undefined ? {} : { target }),
            ...(actor === undefined ? {} : { actor }),
          },
        },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
export const securityLog = infiniteQueryOptions({
  queryKey: ["me", "security-log"],
  queryFn: ({ pageParam }) =>
    api.get("/v1/me/security-log", {
      params: { query: { limit: 20, ...(pageParam === null ? {} : { cursor: pageParam }) } },
    }),
  initialPageParam: null as string | null,
  getNextPageParam: ({ nextCursor }) => nextCursor,
});

export const sessions = queryOptions({
  queryKey: ["me", "sessions"],
  queryFn: async () => (await api.get("/v1/me/sessions")).sessions,
});
export const grants = queryOptions({
  queryKey: ["me", "grants"],
  queryFn: () =>
    whole(async (cursor) => {
      const page = await api.get("/v1/me/grants", { params: { query: at(cursor) } });
      return { items: page.grants, next: page.nextCursor };
    }),
});
export const identities = queryOptions({
  queryKey: ["me", "identities"],
  queryFn: () => api.get("/v1/me/identities"),
});

export const source = (id: string) =>
  queryOptions({
    queryKey: ["sources", "one", id],
    queryFn: () => api.get("/v1/integrations/sources/{id}", { params: { path: { id } } }),
    refetchInterval: 5_000,
  });
export const rejections = (id: string) =>
  infiniteQueryOptions({
    queryKey: ["sources", "rejections", id],
    queryFn: ({ pageParam }) =>
      api.get("/v1/integrations/sources/{id}/rejections", {
        params: { path: { id }, query: { limit: 20, ...(pageParam === null ? {} : { cursor: pageParam }) } },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });

/** With its revision, for who is about to change it. */
export const webhookWithTag = (id: string) =>
  queryOptions({
    queryKey: ["webhooks", "with-tag", id],
    queryFn: async () => {
      const { data, response } = await api.raw.GET("/v1/integrations/webhooks/{id}", {
        params: { path: { id } },
      });
      if (data === undefined) throw new Error("the answer has no content");
      return { webhook: data, tag: response.headers.get("etag") };
    },
    gcTime: 0,
  });
export const deliveries = (webhookId: string, status: "pending" | "delivered" | "failed" | undefined) =>
  infiniteQueryOptions({
    queryKey: ["deliveries", webhookId, status ?? null],
    queryFn: ({ pageParam }) =>
      api.get("/v1/integrations/webhooks/{id}/deliveries", {
        params: {
          path: { id: webhookId },
          query: {
            limit: 20,
            ...(status === undefined ? {} : { status }),
            ...(pageParam === null ? {} : { cursor: pageParam }),
          },
        },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: 2_000,
  });
