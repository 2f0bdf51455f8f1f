import type { WebhookSender } from "../outgoing/sending.ts";
import type { ControlStore } from "../ports/control-store.ts";
import { type Assignment, type EventLog, GROUPS, type PartitionConsumer } from "../ports/event-log.ts";
import type { Mailer } from "../ports/mail.ts";
import type { Surroundings } from "../ports/surroundings.ts";
import type { RunningWorker } from "../ports/worker.ts";
import { AlertMailHealth } from "./alert-mail-health.ts";
import { AlertMailTimer } from "./alert-mail-timer.ts";
import { Dispatcher } from "./dispatcher.ts";
import { GroupTimer } from "./group-timer.ts";
import { type HistoryDays, historiesOf } from "./histories.ts";
import { HistoryPruner } from "./history-pruner.ts";
import { LateCommit } from "./late-commit.ts";
import { MailSender } from "./mail-sender.ts";
import { deliverMetrics } from "./metrics.ts";
import { retryingEngines } from "./retrying.ts";
import { takingEvents } from "./take-events.ts";
import { WebhookBook } from "./webhook-book.ts";

export interface DeliverOptions extends Surroundings, HistoryDays {
  readonly log: EventLog;
  readonly control: ControlStore;
  /** Null: deliveries are made, and sent, as e-mails are, by whoever runs later. */
  readonly sender: WebhookSender | null;
  /** Unless given, e-mails wait for somebody who can send them. */
  readonly mailer?: Mailer | null;
  /** The name of the only process that there is: at its start it takes up at once what the one before held. */
  readonly owner?: string;
}

const LAG_EVERY_MS = 1_000;
/** What came meanwhile shares a transaction; the shorter while there is somebody to be told. */
const PROJECT_EVERY_MS = { idle: 100, webhooks: 5 };

/**
 * Reads what happened, carries each signal's status, reasons and sequence, and its alerts, into control data, and with
 * it, in one transaction, makes the deliveries of webhooks, which it then sends, and notes what e-mails are to tell.
 */
export const startDeliver = async (options: DeliverOptions): Promise<RunningWorker> => {
  const { log, clock, control } = options;
  const logger = options.telemetry.log.child({ worker: "deliver" });
  const metrics = deliverMetrics(options.telemetry.metrics);
  const retrying = retryingEngines(options, metrics, logger);
  const book = new WebhookBook();
  let assigned = 0;
  const { sender } = options;
  const dispatcher =
    sender === null
      ? null
      : new Dispatcher({ ...options, sender, book, metrics, retrying, isFed: () => assigned > 0 });

  const failed = (error: unknown): void => {
    metrics.failures.add(1);
    logger.error({ err: error }, "deliver_failed");
  };
  const isMine = () => assigned > 0;
  const histories = historiesOf(control, options);
  const pruners = histories.map(
    (history) => new HistoryPruner({ history, clock, metrics, retrying, isMine, failed }),
  );

  const { mailer = null } = options;
  const mailing = { ...options, mailer, mails: control.mails, metrics, retrying, failed };
  const mailSender = sender === null ? null : new MailSender(mailing);

  const alertMailHealth = new AlertMailHealth(clock);
  const take = takingEvents({ control, clock, book, dispatcher, metrics, logger, retrying });

  const consumer = (assignment: Assignment): PartitionConsumer => {
    const commit = new LateCommit({ assignment, clock, retrying, failed });
    const startAt = Math.max(assignment.committed ?? 0, assignment.earliest);
    let next = startAt;
    const isCaughtUp = () => next >= assignment.end;
    const timing = { assignment, isCaughtUp, control, clock, metrics, retrying, failed };
    const groups = new GroupTimer({ ...timing, book, dispatcher });
    const { entropy } = options;
    const alertMails = new AlertMailTimer({ ...timing, entropy, health: alertMailHealth });
    return {
      startAt,
      records: async (batch) => {
        const startedAt = clock.monotonic();
        await take(batch, assignment.signal);
        next = (batch.at(-1)?.offset ?? -1) + 1;
        commit.done(next);
        metrics.events.add(batch.length);
        const everyMs = book.size > 0 ? PROJECT_EVERY_MS.webhooks : PROJECT_EVERY_MS.idle;
        const restMs = everyMs - (clock.monotonic() - startedAt);
        if (restMs > 0) await clock.sleep(restMs, assignment.signal).catch(() => undefined);
      },
      revoked: async () => {
        assigned--;
        await groups.stop();
        await alertMails.stop();
        await commit.end();
      },
    };
  };

  const member = await log.consume({
    group: GROUPS.deliver,
    topic: "events",
    assigned: async (assignment) => {
      assigned++;
      dispatcher?.fed();
      return consumer(assignment);
    },
  });
  dispatcher?.start();
  mailSender?.start();
  for (const pruner of pruners) pruner.start();
  const cancelLag = clock.every(LAG_EVERY_MS, () => {
    metrics.lag.replace([...member.lag()].map(([partition, lag]) => [lag, { partition: String(partition) }]));
  });
  return {
    name: "deliver",
    health: () => {
      const trouble = member.trouble();
      return [
        { name: "deliver", state: trouble === null ? "ok" : "degraded", detail: trouble },
        ...(mailSender === null ? [] : [mailSender.health(), alertMailHealth.now()]),
      ];
    },
    stop: async () => {
      cancelLag();
      await Promise.all(pruners.map((pruner) => pruner.stop()));
      await member.stop();
      await dispatcher?.stop();
      await mailSender?.stop();
      await sender?.close();
    },
  };
};
