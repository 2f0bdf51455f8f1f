import { describe } from "vitest";
import type { Clock } from "../../src/ports/clock.ts";
import type { ControlStore } from "../../src/ports/control-store.ts";
import { accessSuite } from "./control-store/access.ts";
import { accountsSuite } from "./control-store/accounts.ts";
import { alertMailsSuite } from "./control-store/alert-mails.ts";
import { alertsSuite } from "./control-store/alerts.ts";
import { auditSuite } from "./control-store/audit.ts";
import { deliveriesSuite } from "./control-store/deliveries.ts";
import { lanesSuite } from "./control-store/lanes.ts";
import { locksSuite } from "./control-store/locks.ts";
import { mailsSuite } from "./control-store/mails.ts";
import { oauthSuite } from "./control-store/oauth.ts";
import { outboxSuite } from "./control-store/outbox.ts";
import { progressSuite } from "./control-store/progress.ts";
import { rulesSuite } from "./control-store/rules.ts";
import { signalBatchSuite } from "./control-store/signal-batch.ts";
import { signalListSuite } from "./control-store/signal-list.ts";
import { signalListSizeSuite } from "./control-store/signal-list-size.ts";
import { signalResolveSuite } from "./control-store/signal-resolve.ts";
import { signalStatesSuite } from "./control-store/signal-states.ts";
import { signalsSuite } from "./control-store/signals.ts";
import { silencesSuite } from "./control-store/silences.ts";
import { snapshotsSuite } from "./control-store/snapshots.ts";
import { sourceStatusSuite } from "./control-store/source-status.ts";
import { sourcesSuite } from "./control-store/sources.ts";
import { transactionsSuite } from "./control-store/transactions.ts";
import { transferSuite } from "./control-store/transfer.ts";
import { webhookGroupsSuite } from "./control-store/webhook-groups.ts";
import { webhooksSuite } from "./control-store/webhooks.ts";

export interface OpenControl {
  readonly clock?: Clock;
  readonly maxSignals?: number;
  readonly maxRules?: number;
  readonly secretKey?: Uint8Array;
}

/** One empty database of the running test. */
export interface ControlDatabase {
  /** Opens it; again after the first was closed. */
  open(options?: OpenControl): Promise<ControlStore>;
  /** Two stores open on it at once, in this process; the same one twice where the engine has one connection. */
  openTwo(): Promise<[ControlStore, ControlStore]>;
  /** Every byte it keeps, to look for what must not be there. */
  bytes(): Promise<Buffer>;
}
export type NewDatabase = () => Promise<ControlDatabase>;

/** What every engine of control data must do. `newDatabase` is called once a test, or more. */
export const controlStoreSuite = (engine: string, newDatabase: NewDatabase): void => {
  describe(`control store on ${engine}`, () => {
    accountsSuite(newDatabase);
    signalsSuite(newDatabase);
    signalBatchSuite(newDatabase);
    signalListSuite(newDatabase);
    signalListSizeSuite(newDatabase);
    signalResolveSuite(newDatabase);
    signalStatesSuite(newDatabase);
    sourcesSuite(newDatabase);
    sourceStatusSuite(newDatabase);
    rulesSuite(newDatabase);
    silencesSuite(newDatabase);
    alertsSuite(newDatabase);
    locksSuite(newDatabase);
    mailsSuite(newDatabase);
    alertMailsSuite(newDatabase);
    accessSuite(newDatabase);
    auditSuite(newDatabase);
    oauthSuite(newDatabase);
    outboxSuite(newDatabase);
    progressSuite(newDatabase);
    snapshotsSuite(newDatabase);
    transactionsSuite(newDatabase);
    transferSuite(newDatabase);
    webhooksSuite(newDatabase);
    lanesSuite(newDatabase);
    deliveriesSuite(newDatabase);
    webhookGroupsSuite(newDatabase);
  });
};
