import { mailRetryMs } from "../domain/mail-schedule.ts";
import { type DueMail, type Mailer, MailRefusedError, type Mails } from "../ports/mail.ts";
import type { Surroundings } from "../ports/surroundings.ts";
import type { Health } from "../ports/worker.ts";
import type { DeliverMetrics } from "./metrics.ts";
import type { Retrying } from "./retrying.ts";

const LOOK_EVERY_MS = 1_000;
/** Longer than an attempt may take: none is sent twice while its sender lives. */
const LEASE_MS = 120_000;
const AT_ONCE = 10;

export interface MailSenderOptions extends Surroundings {
  readonly mails: Mails;
  /** Null: there is none, and mails wait. */
  readonly mailer: Mailer | null;
  readonly metrics: DeliverMetrics;
  readonly retrying: Retrying;
  readonly failed: (error: unknown) => void;
}

/** Sends e-mails that are due; several processes may. What fails is tried again until it expires. */
export class MailSender {
  readonly #options: MailSenderOptions;
  readonly #stop = new AbortController();
  #cancel: () => void = () => undefined;
  #task: Promise<void> | null = null;
  #trouble: string | null = null;

  constructor(options: MailSenderOptions) {
    this.#options = options;
  }

  start(): void {
    this.#cancel = this.#options.clock.every(LOOK_EVERY_MS, () => this.#look());
    this.#look();
  }

  health(): Health {
    return { name: "mail", state: this.#trouble === null ? "ok" : "degraded", detail: this.#trouble };
  }

  /** What is being sent is sent to its end. */
  async stop(): Promise<void> {
    this.#cancel();
    this.#stop.abort(new Error("the worker stops"));
    await this.#task;
    this.#options.mailer?.close();
  }

  #look(): void {
    this.#task ??= this.#sendDue()
      .catch((error: unknown) => {
        if (!this.#stop.signal.aborted) this.#options.failed(error);
      })
      .finally(() => {
        this.#task = null;
      });
  }

  async #sendDue(): Promise<void> {
    const { mails, mailer, metrics, retrying } = this.#options;
    const { signal } = this.#stop;
    if (mailer !== null) while (!signal.aborted && (await this.#sendSome(mailer)) === AT_ONCE);
    const waiting = await retrying(() => mails.waiting(), signal);
    metrics.mailsWaiting.set(waiting);
    if (mailer !== null) return;
    this.#trouble =
      waiting === 0 ? null : `${waiting} e-mails wait: set SMTP_URL and MAIL_FROM where deliver runs`;
  }

  /** Gives how many were due. */
  async #sendSome(mailer: Mailer): Promise<number> {
    const { mails, retrying } = this.#options;
    const due = await retrying(() => mails.take(AT_ONCE, LEASE_MS), this.#stop.signal);
    await Promise.all(due.map((mail) => this.#send(mailer, mail)));
    return due.length;
  }

  async #send(mailer: Mailer, mail: DueMail): Promise<void> {
    const { mails, metrics, clock, telemetry } = this.#options;
    const outcome = await mailer.send(mail).then(
      () => null,
      (error: unknown) => error,
    );
    if (outcome === null) {
      this.#trouble = null;
      metrics.mails.add(1, { outcome: "sent" });
      // Also while the worker stops: it was sent.
      await mails.sent(mail);
      return;
    }
    const isRefused = outcome instanceof MailRefusedError;
    const error = outcome instanceof Error ? outcome.message : String(outcome);
    const nextAttemptAt = isRefused
      ? null
      : clock.now() + mailRetryMs(mail.attempts + 1, this.#options.entropy.random());
    if (!isRefused) this.#trouble = `${mailer.name} takes no e-mail: ${error}`;
    metrics.mails.add(1, { outcome: isRefused ? "refused" : "failed" });
    telemetry.log.warn({ mailId: mail.id, attempt: mail.attempts + 1, error }, "mail_not_sent");
    await mails.failed(mail, { error, nextAttemptAt });
  }
}
