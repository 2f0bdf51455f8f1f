import { type Command, Option } from "commander";
import type { z } from "zod";
import { type Signal, SignalSort, SignalStatus } from "../../../schemas/signal.ts";
import type { ApiClient } from "../../client/client.ts";
import { pages } from "../../client/pages.ts";
import { type Context, EXIT, type Exit, type Run } from "../context.ts";
import { labelOption } from "../label-option.ts";
import { counted, shown } from "../terminal.ts";
import { dbm, paintedStatus, percent } from "../words.ts";

type ListedSignal = z.input<typeof Signal>;
interface ListOptions {
  readonly status?: SignalStatus;
  readonly label?: readonly string[];
  readonly q?: string;
  readonly sort: SignalSort;
  readonly json?: true;
}

const signalsPage = (
  client: ApiClient,
  { json: _, label, ...filter }: ListOptions,
  start: object,
  signal: AbortSignal,
) =>
  client.get("/v1/signals", {
    params: { query: { ...filter, ...(label && { label: [...label] }), limit: 500, ...start } },
    signal,
  });

const rowOf = (context: Context, signal: ListedSignal, nameWidth: number): string =>
  [
    paintedStatus(context.terminal, signal.status, 6),
    shown(signal.name).padEnd(nameWidth),
    dbm(signal.strength).padStart(11),
    percent(signal.quality).padStart(5),
    (signal.lastReadingAt ?? "").padEnd(24),
    signal.id,
  ].join("  ");

const list = async (context: Context, options: ListOptions): Promise<Exit> => {
  const { terminal, stop } = context;
  const client = context.client();
  let width = 4;
  let count = 0;
  for await (const { signals } of pages((start) => signalsPage(client, options, start, stop))) {
    width = Math.min(60, Math.max(width, ...signals.map(({ name }) => shown(name).length)));
    if (count === 0 && signals.length > 0 && !options.json) {
      const heading = [
        "STATUS",
        "NAME".padEnd(width),
        "   STRENGTH",
        " QUAL",
        "LAST READING".padEnd(24),
        "ID",
      ];
      await terminal.print(terminal.paint("dim", heading.join("  ")));
    }
    count += signals.length;
    for (const signal of signals)
      await terminal.print(options.json ? JSON.stringify(signal) : rowOf(context, signal, width));
  }
  if (!options.json) terminal.note(count === 0 ? "no signals" : counted(count, "signal"));
  return EXIT.ok;
};

export const addList = (program: Command, run: Run): void => {
  program
    .command("list")
    .description("show signals with their newest strengths")
    .addOption(new Option("--status <status>", "only those that are").choices(SignalStatus.options))
    .addOption(labelOption())
    .option("--q <text>", "only those whose name or external id contains it")
    .addOption(new Option("--sort <order>", "in which order").choices(SignalSort.options).default("name"))
    .option("--json", "a JSON object a line, as the API has it")
    .action((options: ListOptions) => run((context) => list(context, options)));
};
