import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api } from "./client.ts";
import { sourceEveryMs } from "./source-pace.ts";
import { at, whole } from "./whole.ts";
import { withTag } from "./with-tag.ts";

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
            ...at(pageParam, 50),
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
      params: { query: { ...at(pageParam, 20) } },
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

/** With its revision, for who is about to change it. */
export const source = (id: string) =>
  queryOptions({
    queryKey: ["sources", "one", id],
    queryFn: async () => {
      const answer = await api.raw.GET("/v1/integrations/sources/{id}", { params: { path: { id } } });
      const { data, tag } = withTag(answer);
      return { source: data, tag };
    },
    refetchInterval: ({ state: { data } }) => sourceEveryMs(data?.source),
  });
/** So many of its signals are shown. */
const SIGNALS_SHOWN = 50;

/** The newest signals that a source has made. `hasMore`: there are others. */
export const signalsOf = (sourceId: string) =>
  queryOptions({
    queryKey: ["signals", "of-source", sourceId],
    queryFn: async () => {
      const query = { sourceId, sort: "-createdAt" as const, limit: SIGNALS_SHOWN };
      const page = await api.get("/v1/signals", { params: { query } });
      return { signals: page.signals, hasMore: page.nextCursor !== null };
    },
    // The first are waited for.
    refetchInterval: ({ state }) => (state.data?.signals.length === 0 ? 2_000 : 10_000),
  });
export const rejections = (id: string) =>
  infiniteQueryOptions({
    queryKey: ["sources", "rejections", id],
    queryFn: ({ pageParam }) =>
      api.get("/v1/integrations/sources/{id}/rejections", {
        params: { path: { id }, query: { ...at(pageParam, 20) } },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // The counters of its source are stored apart from them, and do not say when there are more.
    refetchInterval: 5_000,
  });

/** The newest messages of which something was rejected, each once, as they came. */
export const rejectedMessages = async (id: string): Promise<string[]> => {
  const params = { path: { id }, query: { limit: 20 } };
  const page = await api.get("/v1/integrations/sources/{id}/rejections", { params });
  return [...new Set(page.rejections.map(({ payload }) => payload))];
};

/** With its revision, for who is about to change it. */
export const webhookWithTag = (id: string) =>
  queryOptions({
    queryKey: ["webhooks", "with-tag", id],
    queryFn: async () => {
      const answer = await api.raw.GET("/v1/integrations/webhooks/{id}", { params: { path: { id } } });
      const { data, tag } = withTag(answer);
      return { webhook: data, tag };
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
            ...at(pageParam, 20),
            ...(status === undefined ? {} : { status }),
          },
        },
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    refetchInterval: 2_000,
  });
