import type { Command } from "commander";
import { RuleId } from "../../../schemas/common.ts";
import { RuleCreate } from "../../../schemas/rule.ts";
import type { paths } from "../../client/generated.ts";
import { platformClock } from "../../client/platform.ts";
import { asWritten } from "../config/as-written.ts";
import { parseRule } from "../config/yaml-file.ts";
import { type Context, EXIT, type Exit, type Run } from "../context.ts";
import { moment } from "../moment.ts";
import { backtestLines, explainLines, type NameOf, shownSignals } from "../rule-words.ts";
import { shown } from "../terminal.ts";

type Backtest = paths["/v1/alerts/rules/backtest"]["post"];
type Body = NonNullable<Backtest["requestBody"]>["content"]["application/json"];
const Written = asWritten<paths["/v1/alerts/rules"]["post"]>(RuleCreate);

interface BacktestOptions {
  readonly from: string;
  readonly to: string;
  readonly json?: true;
}

/** A saved rule by its id, or one that a file holds. */
const tried = async (context: Context, rule: string): Promise<Pick<Body, "rule" | "ruleId">> => {
  const saved = RuleId.safeParse(rule);
  if (saved.success) return { ruleId: saved.data };
  return { rule: Written.parse(parseRule(rule, await context.read(rule), context.environment)) };
};

/** The names of these few signals; an id stays one where the name cannot be had. */
const namesFor = async ({ client, stop }: Context, ids: ReadonlySet<string>): Promise<NameOf> => {
  const names = new Map<string, string>();
  for (const id of ids) {
    const asked = client().get("/v1/signals/{id}", { params: { path: { id } }, signal: stop });
    const found = await asked.catch(() => null);
    if (found !== null) names.set(id, shown(found.name));
  }
  return (id) => names.get(id) ?? id;
};

const backtest = async (
  context: Context,
  rule: string,
  { from, to, json }: BacktestOptions,
): Promise<Exit> => {
  const nowMs = platformClock.now();
  const span = { from: moment("--from", from, nowMs), to: moment("--to", to, nowMs) };
  const body = { ...(await tried(context, rule)), ...span };
  const tested = await context.client().post("/v1/alerts/rules/backtest", { body, signal: context.stop });
  context.terminal.warn(tested.warnings);
  if (json) {
    await context.terminal.print(JSON.stringify(tested));
    return EXIT.ok;
  }
  const nameOf = await namesFor(context, shownSignals(tested));
  for (const line of backtestLines(tested, context.terminal, nameOf)) await context.terminal.print(line);
  return EXIT.ok;
};

const explain = async (
  context: Context,
  [id, signalId]: readonly [string, string],
  { at, json }: { readonly at?: string; readonly json?: true },
): Promise<Exit> => {
  const moments = at === undefined ? {} : { at: moment("--at", at, platformClock.now()) };
  const params = { path: { id }, query: { signalId, ...moments } };
  const told = await context.client().get("/v1/alerts/rules/{id}/explain", { params, signal: context.stop });
  for (const line of json ? [JSON.stringify(told)] : explainLines(told, context.terminal))
    await context.terminal.print(line);
  return EXIT.ok;
};

const ABOUT_BACKTEST = `
The rule is the id of a saved one, or a file that holds one as POST /v1/alerts/rules takes it (YAML or JSON; - is
standard input). Nothing is stored and nobody is notified. Moments are like 2026-01-31T09:30:00Z, 2026-01-31, now, or
how long ago: 30d, 12h, 90m. For example:

  signals rule backtest weak.yaml --from 30d`;

export const addRule = (program: Command, run: Run): void => {
  const rule = program.command("rule").description("what says that a signal has failed");
  rule
    .command("backtest")
    .argument("<rule>", "the id of a rule, or a file")
    .description("say when a rule would have fired, had it been there")
    .requiredOption("--from <moment>", "where the past begins")
    .option("--to <moment>", "where it ends", "now")
    .option("--json", "the answer as the API has it")
    .addHelpText("after", ABOUT_BACKTEST)
    .action((of: string, options: BacktestOptions) => run((context) => backtest(context, of, options)));
  rule
    .command("explain")
    .argument("<rule>", "the id of a rule")
    .argument("<signal>", "the id of a signal")
    .description("say why a rule fires on a signal, or does not")
    .option("--at <moment>", "at another moment than now")
    .option("--json", "the answer as the API has it")
    .action((id: string, signal: string, options: { at?: string; json?: true }) =>
      run((context) => explain(context, [id, signal], options)),
    );
};
