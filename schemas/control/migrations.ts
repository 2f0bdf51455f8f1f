import type { Kysely } from "kysely";
import * as accounts from "./0001-accounts.ts";
import * as signals from "./0002-signals.ts";
import * as sourcesAndRules from "./0003-sources-and-rules.ts";
import * as outbox from "./0004-outbox.ts";
import * as progressAndSnapshots from "./0005-progress-and-snapshots.ts";
import * as api from "./0006-api.ts";
import * as sourcePositions from "./0007-source-positions.ts";
import * as webhooks from "./0009-webhooks.ts";
import * as sourceRuns from "./0010-source-runs.ts";
import * as webhookSenders from "./0011-webhook-senders.ts";
import * as webhookGroups from "./0013-webhook-groups.ts";
import * as alerts from "./0014-alerts.ts";
import * as mail from "./0015-mail.ts";
import * as people from "./0016-people.ts";
import * as audit from "./0017-audit.ts";
import * as oauth from "./0018-oauth.ts";
import * as alertMails from "./0019-alert-mails.ts";
import * as oauthPrograms from "./0020-oauth-programs.ts";
import * as oneOpen from "./0021-one-open.ts";
import * as ruleVersions from "./0022-rule-versions.ts";
import * as signalsBySource from "./0023-signals-by-source.ts";
import type { ColumnTypes } from "./columns.ts";

export interface ControlMigration {
  up(db: Kysely<unknown>, columns: ColumnTypes): Promise<void>;
}

/** The migrations of control data, applied once each in the order of their names; a landed one never changes. */
export const CONTROL_MIGRATIONS: Readonly<Record<string, ControlMigration>> = {
  "0001-accounts": accounts,
  "0002-signals": signals,
  "0003-sources-and-rules": sourcesAndRules,
  "0004-outbox": outbox,
  "0005-progress-and-snapshots": progressAndSnapshots,
  "0006-api": api,
  "0007-source-positions": sourcePositions,
  "0009-webhooks": webhooks,
  "0010-source-runs": sourceRuns,
  "0011-webhook-senders": webhookSenders,
  "0013-webhook-groups": webhookGroups,
  "0014-alerts": alerts,
  "0015-mail": mail,
  "0016-people": people,
  "0017-audit": audit,
  "0018-oauth": oauth,
  "0019-alert-mails": alertMails,
  "0020-oauth-programs": oauthPrograms,
  "0021-one-open": oneOpen,
  "0022-rule-versions": ruleVersions,
  "0023-signals-by-source": signalsBySource,
};
