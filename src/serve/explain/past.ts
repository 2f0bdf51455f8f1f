import type { ExplainAnswer } from "../../../schemas/explain.ts";
import type { Explained, Question } from "../../domain/explain/explain.ts";
import { storedThen } from "../../domain/explain/stored.ts";
import type { TimeSeries } from "../../ports/time-series.ts";

/** Events that are looked at: those of the newest alert are told of. */
const EVENTS_MAX = 50;

/** What the events stored tell of a moment, beside what the readings come to. */
export const withStored = async (
  timeSeries: Pick<TimeSeries, "alertEvents">,
  question: Question,
  found: Explained,
  nowMs: number,
): Promise<Explained & Pick<ExplainAnswer, "stored">> => {
  const { accountId, id: signalId } = question.signal;
  const asked = { accountId, signalId, ruleId: question.rule.id, upToMs: question.atMs };
  const told = await timeSeries.alertEvents({ ...asked, by: "event", limit: EVENTS_MAX });
  const read = await timeSeries.alertEvents({ ...asked, by: "reading", limit: EVENTS_MAX });
  const alerts = { told: told.map(({ event }) => event), read: read.map(({ event }) => event) };
  const { stored, steps } = storedThen(question, found.outcome, alerts, nowMs);
  const difference = stored.differs ? ` ${steps.at(-1)?.text ?? ""}` : "";
  return { ...found, summary: `${found.summary}${difference}`, steps: [...found.steps, ...steps], stored };
};
