import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import { rangeAsked } from "../chart/range.ts";
import { alertFilter } from "../pages/alerts/filter.ts";
import { Overview } from "../pages/overview/overview.tsx";
import { signalFilter } from "../pages/signals/filter.ts";
import { Broken } from "./broken.tsx";
import { NotFound } from "./not-found.tsx";
import { Shell } from "./shell.tsx";

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

/** What a form begins with, as the address names it. */
const namedThings = ({
  signalId,
  ruleId,
}: Record<string, unknown>): { signalId?: string; ruleId?: string } => ({
  ...(typeof signalId === "string" ? { signalId } : {}),
  ...(typeof ruleId === "string" ? { ruleId } : {}),
});

const overview = createRoute({ getParentRoute: () => root, path: "/", component: Overview });
const signals = createRoute({
  getParentRoute: () => root,
  path: "/signals",
  validateSearch: signalFilter,
  component: lazyRouteComponent(() => import("../pages/signals/signals.tsx"), "Signals"),
});

const signal = createRoute({
  getParentRoute: () => root,
  path: "/signals/$id",
  validateSearch: rangeAsked,
  component: lazyRouteComponent(() => import("../pages/signal/signal.tsx"), "SignalPage"),
});

const alerts = createRoute({
  getParentRoute: () => root,
  path: "/alerts",
  validateSearch: alertFilter,
  component: lazyRouteComponent(() => import("../pages/alerts/alerts.tsx"), "Alerts"),
});
const alert = createRoute({
  getParentRoute: () => root,
  path: "/alerts/$id",
  component: lazyRouteComponent(() => import("../pages/alerts/alert.tsx"), "AlertPage"),
});
const rules = createRoute({
  getParentRoute: () => root,
  path: "/alerts/rules",
  component: lazyRouteComponent(() => import("../pages/alerts/rules.tsx"), "Rules"),
});
const newRule = createRoute({
  getParentRoute: () => root,
  path: "/alerts/rules/new",
  validateSearch: namedThings,
  component: lazyRouteComponent(() => import("../pages/alerts/rule.tsx"), "NewRule"),
});
const rule = createRoute({
  getParentRoute: () => root,
  path: "/alerts/rules/$id",
  validateSearch: namedThings,
  component: lazyRouteComponent(() => import("../pages/alerts/rule.tsx"), "RulePage"),
});
const silences = createRoute({
  getParentRoute: () => root,
  path: "/alerts/silences",
  component: lazyRouteComponent(() => import("../pages/alerts/silences.tsx"), "Silences"),
});
const newSilence = createRoute({
  getParentRoute: () => root,
  path: "/alerts/silences/new",
  validateSearch: namedThings,
  component: lazyRouteComponent(() => import("../pages/alerts/silence.tsx"), "NewSilence"),
});

const settings = createRoute({
  getParentRoute: () => root,
  path: "/settings",
  component: lazyRouteComponent(() => import("../pages/settings/settings.tsx"), "Settings"),
});
const settingsStart = createRoute({
  getParentRoute: () => settings,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/settings/integrations", replace: true });
  },
});
const sources = createRoute({
  getParentRoute: () => settings,
  path: "/integrations",
  component: lazyRouteComponent(() => import("../pages/settings/sources.tsx"), "Sources"),
});
const connect = createRoute({
  getParentRoute: () => settings,
  path: "/integrations/new",
  component: lazyRouteComponent(() => import("../pages/settings/connect.tsx"), "Connect"),
});
const source = createRoute({
  getParentRoute: () => settings,
  path: "/integrations/$id",
  component: lazyRouteComponent(() => import("../pages/settings/source.tsx"), "SourcePage"),
});
const webhooks = createRoute({
  getParentRoute: () => settings,
  path: "/webhooks",
  component: lazyRouteComponent(() => import("../pages/settings/webhooks.tsx"), "Webhooks"),
});
const newWebhook = createRoute({
  getParentRoute: () => settings,
  path: "/webhooks/new",
  component: lazyRouteComponent(() => import("../pages/settings/webhook-new.tsx"), "NewWebhook"),
});
const webhook = createRoute({
  getParentRoute: () => settings,
  path: "/webhooks/$id",
  component: lazyRouteComponent(() => import("../pages/settings/webhook.tsx"), "WebhookPage"),
});
const apiKeys = createRoute({
  getParentRoute: () => settings,
  path: "/api-keys",
  component: lazyRouteComponent(() => import("../pages/settings/api-keys.tsx"), "ApiKeys"),
});
const oauthClients = createRoute({
  getParentRoute: () => settings,
  path: "/oauth-clients",
  component: lazyRouteComponent(() => import("../pages/settings/oauth-clients.tsx"), "OAuthClients"),
});
const team = createRoute({
  getParentRoute: () => settings,
  path: "/team",
  component: lazyRouteComponent(() => import("../pages/settings/team.tsx"), "Team"),
});
const accessRequests = createRoute({
  getParentRoute: () => settings,
  path: "/access-requests",
  component: lazyRouteComponent(() => import("../pages/settings/access-requests.tsx"), "AccessRequests"),
});
const auditLog = createRoute({
  getParentRoute: () => settings,
  path: "/audit-log",
  validateSearch: ({ action }: Record<string, unknown>): { action?: string } =>
    typeof action === "string" ? { action } : {},
  component: lazyRouteComponent(() => import("../pages/settings/audit-log.tsx"), "AuditLog"),
});
const security = createRoute({
  getParentRoute: () => settings,
  path: "/security",
  component: lazyRouteComponent(() => import("../pages/settings/security.tsx"), "Security"),
});
const versions = createRoute({
  getParentRoute: () => settings,
  path: "/versions",
  component: lazyRouteComponent(() => import("../pages/settings/versions.tsx"), "Versions"),
});

export const router = createRouter({
  routeTree: root.addChildren([
    overview,
    signals,
    signal,
    alerts,
    alert,
    rules,
    newRule,
    rule,
    silences,
    newSilence,
    settings.addChildren([
      settingsStart,
      sources,
      connect,
      source,
      webhooks,
      newWebhook,
      webhook,
      apiKeys,
      oauthClients,
      team,
      accessRequests,
      auditLog,
      security,
      versions,
    ]),
  ]),
  defaultPreload: "intent",
  // What an address cannot mean is not handed on beside what it can.
  search: { strict: true },
  defaultErrorComponent: Broken,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
