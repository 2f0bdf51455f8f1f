import { keepPreviousData, skipToken, useQuery } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import type { Backtest } from "../../api/types.ts";
import { useRested } from "../../app/rested.ts";
import { numberText } from "../../app/words.ts";
import { SPANS, type Span } from "../../chart/range.ts";
import { Button } from "../../parts/button.tsx";
import { Told } from "../../parts/told.tsx";
import type { Tried } from "./backtest-text.ts";
import style from "./rule.module.css";
import { type RuleBody, type RuleDraft, triedOf } from "./rule-draft.ts";
import { secondsText } from "./words.ts";

/** A limit that is dragged is tried once it rests, and so is a span that keys go through. */
const REST_MS = 300;

/**
 * The rule on the past, by the evaluator itself; while a number of it is half typed, what came of the one before. Not while
 * it is not known how far back.
 */
export const useBacktest = (draft: RuleDraft, chosen: Span | null, toMs: number) => {
  const text = useRested(JSON.stringify(triedOf(draft)), REST_MS);
  const span = useRested(chosen, REST_MS);
  const tried: RuleBody | null = JSON.parse(text);
  return useQuery({
    queryKey: ["rules", "backtest", text, span, toMs],
    queryFn:
      tried === null || span === null
        ? skipToken
        : async ({ signal }): Promise<Tried> => {
            const [from, to] = [toMs - SPANS[span], toMs].map((ms) => new Date(ms).toISOString());
            const found = await api.post("/v1/alerts/rules/backtest", {
              body: { rule: tried, from: from ?? "", ...(to === undefined ? {} : { to }) },
              // The service runs two at a time: what is given up must not be in the way of what came after.
              signal,
            });
            return { ...found, span };
          },
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
};

type Remedy = Backtest["summary"]["flapping"][number]["remedies"][number];

const remedyText = ({ change: { hysteresis, forSeconds, overSeconds }, changes }: Remedy): string => {
  const what = [
    ...(hysteresis === undefined ? [] : [`a hysteresis of ${hysteresis}`]),
    ...(forSeconds === undefined ? [] : [`a wait of ${secondsText(forSeconds)}`]),
    ...(overSeconds === undefined ? [] : [`a silence of ${secondsText(overSeconds)}`]),
  ];
  return `With ${what.join(" and ")} it would change ${numberText(changes)} times.`;
};

const remedied = ({ change: { hysteresis, forSeconds, overSeconds } }: Remedy): Partial<RuleDraft> => ({
  ...(hysteresis === undefined ? {} : { hysteresis: String(hysteresis) }),
  ...(forSeconds === undefined ? {} : { forSeconds: String(forSeconds) }),
  ...(overSeconds === undefined ? {} : { overSeconds: String(overSeconds) }),
});

interface FindingsProps {
  readonly tried: Backtest;
  readonly names: ReadonlyMap<string, string>;
  readonly change: (part: Partial<RuleDraft>) => void;
}

/** What the past says of the rule: what is likely not meant, and what would calm it. */
export const Findings = ({ tried, names, change }: FindingsProps) => (
  <ul className={style.findings}>
    {tried.warnings.map(({ path, message }) => (
      <li key={`${path} ${message}`}>
        ▲ <code>{path}</code> <Told text={message} />
      </li>
    ))}
    {tried.summary.flapping.slice(0, 3).flatMap(({ signalId, changes, remedies }) =>
      remedies.slice(0, 2).map((remedy) => (
        <li key={`${signalId} ${JSON.stringify(remedy.change)}`}>
          <span>
            <bdi>{names.get(signalId) ?? signalId}</bdi> changes {numberText(changes)} times.{" "}
            {remedyText(remedy)}
          </span>
          <Button onClick={() => change(remedied(remedy))}>Use it</Button>
        </li>
      )),
    )}
    {tried.approximated?.map((text) => (
      <li key={text}>{text}</li>
    ))}
  </ul>
);
