import { type Command, InvalidArgumentError, Option } from "commander";
import type { z } from "zod";
import type { Labels } from "../../../schemas/common.ts";
import type { Silence } from "../../../schemas/silence.ts";
import { each } from "../../client/pages.ts";
import { platformClock } from "../../client/platform.ts";
import { type Context, EXIT, type Exit, type Run } from "../context.ts";
import { counted, shown } from "../terminal.ts";

type ListedSilence = z.input<typeof Silence>;
interface Json {
  readonly json?: true;
}
interface CreateOptions extends Json {
  readonly label?: Labels;
  readonly signal?: readonly string[];
  readonly rule?: readonly string[];
  readonly for?: number;
  readonly until?: string;
  readonly reason: string;
}

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const isUnit = (text: string): text is keyof typeof UNITS => Object.hasOwn(UNITS, text);

/** `90m`, `8h`, `2d`, in milliseconds. */
const durationMs = (text: string): number => {
  const [, count, unit = ""] = /^(\d{1,4})([a-z])$/.exec(text) ?? [];
  if (count === undefined || !isUnit(unit)) throw new InvalidArgumentError("write it like 90m, 8h or 2d.");
  return Number(count) * UNITS[unit];
};

const withLabel = (word: string, others: Labels = {}): Labels => {
  const colon = word.indexOf(":");
  if (colon < 1) throw new InvalidArgumentError("write it like site:north.");
  return { ...others, [word.slice(0, colon)]: word.slice(colon + 1) };
};

const line = ({ terminal: { paint } }: Context, silence: ListedSilence): string => {
  const { id, state, until, untilResolved, schedule, reason } = silence;
  const end = until ?? (untilResolved ? "until resolved" : schedule === null ? "" : "recurring");
  const painted = paint(state === "active" ? "yellow" : "dim", state.padEnd(7));
  return [painted, end.padEnd(24), id, shown(reason)].join("  ");
};

const print = (context: Context, silence: ListedSilence, { json }: Json): Promise<void> =>
  context.terminal.print(json ? JSON.stringify(silence) : line(context, silence));

/** Without an end it lasts until what fires now has resolved. */
const create = async (context: Context, options: CreateOptions): Promise<Exit> => {
  const { label, signal, rule, for: forMs, until, reason } = options;
  const end = forMs === undefined ? until : new Date(platformClock.now() + forMs).toISOString();
  const body = {
    select: {
      ...(label && { labels: label }),
      ...(signal && { signalIds: [...signal] }),
    },
    ...(rule && { ruleIds: [...rule] }),
    ...(end === undefined ? { untilResolved: true } : { until: end }),
    reason,
  };
  const made = await context.client().post("/v1/alerts/silences", { body, signal: context.stop });
  await print(context, made, options);
  context.terminal.warn(made.warnings);
  return EXIT.ok;
};

const list = async (context: Context, options: Json): Promise<Exit> => {
  const { terminal, stop } = context;
  const client = context.client();
  const page = (start: object) =>
    client.get("/v1/alerts/silences", { params: { query: { limit: 500, ...start } }, signal: stop });
  let count = 0;
  for await (const silence of each(page, ({ silences }) => silences)) {
    count++;
    await print(context, silence, options);
  }
  if (!options.json) terminal.note(count === 0 ? "no silences" : counted(count, "silence"));
  return EXIT.ok;
};

const end = async (context: Context, id: string): Promise<Exit> => {
  const params = { path: { id } };
  await context.client().delete("/v1/alerts/silences/{id}", { params, signal: context.stop });
  return EXIT.ok;
};

export const addSilence = (program: Command, run: Run): void => {
  const silence = program.command("silence").description("keep alerts from being delivered for a while");
  silence
    .command("create")
    .description("silence the alerts of signals, until a time, or until those that fire now have resolved")
    .option("--label <key:value...>", "only of signals with the label; of several, with all", withLabel)
    .option("--signal <id...>", "only of these signals")
    .option("--rule <id...>", "only alerts of these rules")
    .addOption(
      new Option("--for <duration>", "how long: 90m, 8h, 2d").argParser(durationMs).conflicts("until"),
    )
    .option("--until <time>", "until when: 2026-01-31T12:00:00Z")
    .requiredOption("--reason <text>", "why, for whoever looks")
    .option("--json", "the silence as the API has it")
    .action((options: CreateOptions) => run((context) => create(context, options)));
  silence
    .command("list")
    .description("show silences")
    .option("--json", "a JSON object a line, as the API has it")
    .action((options: Json) => run((context) => list(context, options)));
  silence
    .command("end")
    .argument("<id>")
    .description("end a silence now")
    .action((id: string) => run((context) => end(context, id)));
};
