import { type AccountId, SignalId } from "../../schemas/common.ts";
import { SignalDefaults } from "../../schemas/signal.ts";
import type { RejectionReason } from "../../schemas/source.ts";
import { signalNameProblem } from "../domain/mapping/signal-name.ts";
import { timeOf } from "../domain/mapping/time.ts";
import { oldestReadingMs, readingProblem } from "../domain/mapping/validity.ts";
import type { Clock } from "../ports/clock.ts";
import type { AbsentNames } from "./absent-names.ts";
import { DETAILS } from "./intake.ts";
import type { PromptIntake } from "./prompt-intake.ts";
import { Receipt } from "./receipt.ts";
import type { Origin } from "./waiting-readings.ts";

/** One reading of a signal that is there: by its id, or by its externalId. `at`: RFC 3339; not given: now. */
export interface Report {
  readonly signalId?: string | undefined;
  readonly externalId?: string | undefined;
  readonly strength: number;
  readonly at?: string | undefined;
}
export type ReportOutcome =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: RejectionReason; readonly detail: string };

const OK: ReportOutcome = { ok: true };
const bad = (reason: RejectionReason, detail: string): ReportOutcome => ({ ok: false, reason, detail });
const unknown = (name: string): ReportOutcome => bad("unknown_signal", `no signal is called ${name}`);

const DEFAULTS = SignalDefaults.parse({});
const UNKEPT: Origin = { kept: () => null, labels: () => ({}) };

type ReadReport = { readonly name: string; readonly atMs: number } | { readonly outcome: ReportOutcome };

const readReport = (report: Report, nowMs: number, retentionRawDays: number | null): ReadReport => {
  const { signalId, externalId, strength, at } = report;
  const name = signalId ?? externalId ?? "";
  if (signalId !== undefined && !SignalId.safeParse(signalId).success) return { outcome: unknown(name) };
  const misnamed = signalNameProblem(name);
  if (misnamed !== null) return { outcome: bad("signal_name_invalid", misnamed) };
  const atMs = at === undefined ? nowMs : timeOf(at);
  if (Number.isNaN(atMs)) return { outcome: bad("bad_time", "the time is not RFC 3339") };
  const problem = readingProblem(atMs, strength, nowMs, oldestReadingMs(nowMs, retentionRawDays));
  if (problem !== null) return { outcome: bad(problem, DETAILS[problem] ?? problem) };
  return { name, atMs };
};

/** Readings without a source, each with its own outcome, in the order given; none is made a signal for. */
export class Reporter {
  readonly #intake: PromptIntake;
  readonly #clock: Clock;
  readonly #absent: AbsentNames;

  constructor(intake: PromptIntake, clock: Clock) {
    this.#intake = intake;
    this.#clock = clock;
    this.#absent = intake.absentNames();
  }

  /**
   * Resolves with an outcome for each report once those that are ok are durable in the log. Throws, with nothing
   * stored, IntakeRefusedError or ControlUnavailableError; and LogFullError or LogUnavailableError, after which some
   * may be stored.
   */
  async report(accountId: AccountId, reports: readonly Report[]): Promise<ReportOutcome[]> {
    const outcomes: ReportOutcome[] = reports.map(() => OK);
    const places = new Map<string, number[]>();
    const staged = this.#intake.stage(accountId, this.#absent, (name) => {
      for (const place of places.get(name) ?? []) outcomes[place] = unknown(name);
    });
    const receipt = new Receipt();
    const nowMs = this.#clock.now();
    reports.forEach((report, place) => {
      const read = readReport(report, nowMs, this.#intake.settings.retentionRawDays);
      if ("outcome" in read) {
        outcomes[place] = read.outcome;
        return;
      }
      const { name, atMs } = read;
      const others = places.get(name);
      if (others === undefined) places.set(name, [place]);
      else others.push(place);
      receipt.take();
      const signal = staged.find(name);
      if (signal !== undefined) staged.write(signal, atMs, report.strength, receipt);
      else staged.wait(name, { atMs, strength: report.strength, receipt }, UNKEPT);
    });
    await this.#intake.send(staged, { accountId, sourceId: null, create: false, defaults: DEFAULTS });
    await receipt.close();
    return outcomes;
  }
}
