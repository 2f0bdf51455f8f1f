import type { Command } from "commander";
import { ONE } from "../../declared/file.ts";
import { type Change, type FieldChange, planned, refusalText } from "../../declared/plan.ts";
import { applied } from "../config/apply.ts";
import { apiView } from "../config/hidden.ts";
import { presentOf } from "../config/present.ts";
import { parseConfig } from "../config/yaml-file.ts";
import { type Context, EXIT, type Exit, type Run, UsageError } from "../context.ts";
import { shown } from "../terminal.ts";

interface ConfigOptions {
  readonly prune?: true;
  readonly secrets?: true;
  readonly json?: true;
}

const planOf = async (context: Context, file: string | undefined, options: ConfigOptions) => {
  const path = file ?? context.environment.CONFIG_FILE;
  if (path === undefined || path === "")
    throw new UsageError(
      "no file is named",
      "Name it: signals config diff signals.yaml, or set CONFIG_FILE.",
    );
  const wanted = parseConfig(path, await context.read(path), context.environment);
  const present = await presentOf(context.client(), wanted, context.stop);
  const { prune = false, secrets = false } = options;
  const { refusals, ...plan } = planned(wanted, present, { prune, view: apiView(secrets) });
  if (refusals.length === 0) return plan;
  throw new UsageError(
    "the service cannot be made what the file says",
    "Nothing was changed.",
    refusals.map(refusalText),
  );
};

const text = (value: unknown): string => shown(value === undefined ? "nothing" : JSON.stringify(value));
const fieldLine = ({ field, from, to }: FieldChange): string =>
  JSON.stringify(from) === JSON.stringify(to)
    ? `    ${field}: sent again, as it cannot be compared`
    : `    ${field}: ${text(from)} → ${text(to)}`;

const MARKS = { create: ["green", "+"], update: ["yellow", "~"], delete: ["red", "-"] } as const;
const linesOf = ({ terminal }: Context, change: Change): string[] => {
  const [style, mark] = MARKS[change.action];
  const title = terminal.paint(style, `${mark} ${ONE[change.kind]} ${shown(change.key)}`);
  if (change.action === "delete" && change.isDemo) return [`${title} (the demo that the first start added)`];
  return [title, ...(change.action === "update" ? change.fields.map(fieldLine) : [])];
};

/** Without bodies: they may hold secrets. */
const jsonOf = (change: Change): string => {
  const { action, kind, key } = change;
  return JSON.stringify({
    action,
    kind,
    key,
    ...("id" in change && { id: change.id }),
    ...("isDemo" in change && change.isDemo && { isDemo: true }),
    ...("fields" in change && { fields: change.fields }),
  });
};

const print = async (context: Context, change: Change, { json }: ConfigOptions): Promise<void> => {
  for (const line of json ? [jsonOf(change)] : linesOf(context, change)) await context.terminal.print(line);
};

const NOTHING = "nothing to change";
const secretsText = (uncompared: number): string[] => {
  if (uncompared === 0) return [];
  const [secrets, them] = uncompared === 1 ? ["secret", "it"] : ["secrets", "them"];
  return [`${uncompared} ${secrets} not compared (--secrets sends ${them} again)`];
};

const diff = async (context: Context, file: string | undefined, options: ConfigOptions): Promise<Exit> => {
  const { changes, uncompared } = await planOf(context, file, options);
  for (const change of changes) await print(context, change, options);
  const notes = [...(changes.length === 0 ? [NOTHING] : []), ...secretsText(uncompared)];
  if (notes.length > 0) context.terminal.note(notes.join("; "));
  return changes.length === 0 ? EXIT.ok : EXIT.no;
};

const apply = async (context: Context, file: string | undefined, options: ConfigOptions): Promise<Exit> => {
  const { changes, uncompared } = await planOf(context, file, options);
  for (const [index, change] of changes.entries()) {
    if (context.stop.aborted)
      throw new UsageError("stopped", `${changes.length - index} changes are left: run it again.`);
    await applied(context.client(), change).catch((error: unknown) => {
      context.terminal.note(
        `${ONE[change.kind]} ${shown(change.key)} could not be ${change.action}d; run it again when that is mended`,
      );
      throw error;
    });
    await print(context, change, options);
  }
  const count = changes.length === 0 ? NOTHING : `${changes.length} changed`;
  context.terminal.note([count, ...secretsText(uncompared)].join("; "));
  return EXIT.ok;
};

const ABOUT = `
A file holds lists of signals, sources, rules and webhooks, as POST takes them (YAML or JSON):

  sources:
    - name: gateway
      type: websocket
      url: wss://gateway.example/feed
      headers: { Authorization: "Bearer \${GATEWAY_TOKEN}" }
  rules:
    - name: weak
      condition: { operator: below, value: -75 }

Signals are found again by externalId, or by name; all others by name. Fields that the file leaves out stay as they are.
\${NAME} is taken from the environment: keep secrets there. They are not shown by the service, and so only sent with
what is new or with --secrets. The file is CONFIG_FILE unless it is named; - is standard input.`;

export const addConfig = (program: Command, run: Run): void => {
  const config = program
    .command("config")
    .description("make signals, sources, rules and webhooks what a file says: config diff, config apply");
  const add = (name: string, about: string, work: typeof diff) =>
    config
      .command(name)
      .argument("[file]")
      .description(about)
      .option("--prune", "delete sources, rules and webhooks that the file does not name")
      .option("--secrets", "send secrets again, as the service does not show them: they cannot be compared")
      .option("--json", "a JSON object a line, one for each change")
      .addHelpText("after", ABOUT)
      .action((file: string | undefined, options: ConfigOptions) =>
        run((context) => work(context, file, options)),
      );
  add("diff", "show what apply would change; exit code 1 when there is something", diff);
  add("apply", "make the service what the file says", apply);
};
