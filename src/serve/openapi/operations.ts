import { ACCOUNT_OPERATIONS } from "./operations/account.ts";
import { ALERT_LIST } from "./operations/alert-list.ts";
import { ALERTS } from "./operations/alerts.ts";
import { BACKTEST } from "./operations/backtest.ts";
import { DELIVERIES } from "./operations/deliveries.ts";
import { EVENTS } from "./operations/events.ts";
import { KEYS } from "./operations/keys.ts";
import { ME } from "./operations/me.ts";
import { OAUTH } from "./operations/oauth.ts";
import type { Operations } from "./operations/operation.ts";
import { PEOPLE } from "./operations/people.ts";
import { SERVICE } from "./operations/service.ts";
import { SIGNALS } from "./operations/signals.ts";
import { SIGNALS_AT_ONCE } from "./operations/signals-at-once.ts";
import { SILENCES } from "./operations/silences.ts";
import { SOURCE_ACTIONS } from "./operations/source-actions.ts";
import { SOURCES } from "./operations/sources.ts";
import { WEBHOOKS } from "./operations/webhooks.ts";

/** Every route by its method and path; a test fails where one is missing. */
export const OPERATIONS: Operations = {
  ...WEBHOOKS,
  ...DELIVERIES,
  ...SIGNALS,
  ...SIGNALS_AT_ONCE,
  ...SOURCES,
  ...SOURCE_ACTIONS,
  ...ALERTS,
  ...ALERT_LIST,
  ...SILENCES,
  ...BACKTEST,
  ...EVENTS,
  ...KEYS,
  ...PEOPLE,
  ...ACCOUNT_OPERATIONS,
  ...ME,
  ...OAUTH,
  ...SERVICE,
};
