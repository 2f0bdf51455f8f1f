import { Kysely } from "kysely";
import { MonotonicUlids } from "../../domain/ids.ts";
import type { Clock, Entropy } from "../../ports/clock.ts";
import type { Changing, ControlStore, Repositories } from "../../ports/control-store.ts";
import { createAccess } from "./access/access.ts";
import { createAccounts, createFacts } from "./accounts.ts";
import { createAlertMails } from "./alert-mails.ts";
import { createAlerts } from "./alerts.ts";
import { createApiKeys, createTickets } from "./api-keys.ts";
import { createAudit } from "./audit.ts";
import { createDeliveries } from "./deliveries.ts";
import type { ControlContext, ControlEngine } from "./engine.ts";
import { createIdempotency } from "./idempotency.ts";
import { checkSecretKey } from "./key-check.ts";
import { createLanes } from "./lanes.ts";
import { createMails } from "./mails.ts";
import { migrateControl } from "./migrate.ts";
import { createOutbox } from "./outbox.ts";
import { createRecordProgress } from "./progress.ts";
import { createRules } from "./rules.ts";
import { createBrowserSealer, createSealer } from "./sealed.ts";
import { createSignalStates } from "./signal-states.ts";
import { createSignals } from "./signals.ts";
import { createSilences } from "./silences.ts";
import { createSnapshots } from "./snapshots.ts";
import { createSources } from "./sources.ts";
import type { ControlTables } from "./tables.ts";
import { inTransaction } from "./transaction.ts";
import { createControlTransfer } from "./transfer.ts";
import { createWebhookGroups } from "./webhook-groups.ts";
import { createWebhooks } from "./webhooks.ts";

export interface ControlOptions {
  /** 32 bytes; see secret-key.ts. */
  readonly secretKey: Uint8Array;
  readonly clock: Clock;
  readonly entropy: Entropy;
  /** Signals that an account may have; names beyond it are left unresolved. */
  readonly maxSignals?: number;
  /** Rules that an account may have. */
  readonly maxRules?: number;
}

const MAX_SIGNALS = 1_000_000;
const MAX_RULES = 1_000;
const repositories = (context: ControlContext): Repositories => ({
  accounts: createAccounts(context),
  apiKeys: createApiKeys(context),
  signals: createSignals(context),
  signalStates: createSignalStates(context),
  sources: createSources(context),
  rules: createRules(context),
  silences: createSilences(context),
  alerts: createAlerts(context),
  outbox: createOutbox(context),
  recordProgress: createRecordProgress(context),
  snapshots: createSnapshots(context),
  facts: createFacts(context),
  idempotency: createIdempotency(context),
  tickets: createTickets(context),
  webhooks: createWebhooks(context),
  deliveries: createDeliveries(context),
  webhookGroups: createWebhookGroups(context),
  lanes: createLanes(context),
  mails: createMails(context),
  alertMails: createAlertMails(context),
  access: createAccess(context),
  audit: createAudit(context),
});

const changing = (context: ControlContext): Changing => ({
  ...repositories(context),
  transaction: (work) => inTransaction(context, (trx) => work(repositories({ ...context, db: trx }))),
});

/**
 * Control data over an engine, its migrations applied. Rejects with ControlMigrationError (newer data), SealedDataError
 * (another SECRET_KEY) or ControlUnavailableError; the engine is closed then.
 */
export const openControlStore = async (
  engine: ControlEngine,
  options: ControlOptions,
): Promise<ControlStore> => {
  const { secretKey, clock, entropy, maxSignals = MAX_SIGNALS, maxRules = MAX_RULES } = options;
  const db = new Kysely<ControlTables>({ dialect: engine.dialect });
  const sealer = createSealer(secretKey, entropy);
  let isSearchIndexed = false;
  try {
    await migrateControl(db, engine);
    await checkSecretKey(createFacts({ db }), sealer);
    isSearchIndexed = (await engine.indexSearch?.()) ?? false;
  } catch (error) {
    await db.destroy();
    throw error;
  }
  const context: ControlContext = {
    db,
    engine,
    clock,
    entropy,
    ulids: new MonotonicUlids((count) => entropy.bytes(count)),
    sealer,
    browserSealer: createBrowserSealer(secretKey, entropy),
    maxSignals,
    maxRules,
    by: null,
    isSearchIndexed,
  };
  return {
    ...changing(context),
    by: (doer) => changing({ ...context, by: doer }),
    locks: engine.locks,
    transfer: createControlTransfer(context),
    health: () => engine.health(),
    close: () => db.destroy(),
  };
};
