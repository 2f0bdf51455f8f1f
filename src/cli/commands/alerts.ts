import type { Command } from "commander";
import type { z } from "zod";
import type { Alert } from "../../../schemas/alert.ts";
import type { ApiClient } from "../../client/client.ts";
import { each } from "../../client/pages.ts";
import { type Context, EXIT, type Exit, type Run } from "../context.ts";
import { Names } from "../names.ts";
import { counted, shown } from "../terminal.ts";

type ListedAlert = z.input<typeof Alert>;
interface AlertsOptions {
  readonly firing?: true;
  readonly json?: true;
}
const STYLES = { pending: "yellow", firing: "red", resolved: "green" } as const;

const alertsOf = (client: ApiClient, { firing }: AlertsOptions, signal: AbortSignal) =>
  each(
    (start) => {
      const query = { ...(firing && { state: "firing" as const }), limit: 500, ...start };
      return client.get("/v1/alerts", { params: { query }, signal });
    },
    ({ alerts }) => alerts,
  );

/** What else somebody who looks wants to know of it. */
const remarks = ({ acknowledged, silencedBy, heldBy }: ListedAlert): string[] => [
  ...(acknowledged === null ? [] : [`taken on: ${shown(acknowledged.note ?? acknowledged.by)}`]),
  ...(silencedBy === null ? [] : [`silenced by ${silencedBy}`]),
  ...(heldBy === null ? [] : [`held back: ${heldBy}`]),
];

const rowOf = ({ terminal: { paint } }: Context, alert: ListedAlert, names: Names): string =>
  [
    paint(STYLES[alert.state], alert.state.padEnd(8)),
    alert.severity.padEnd(8),
    (alert.firedAt ?? "").padEnd(24),
    shown(alert.ruleName),
    names.of(alert.signalId),
    ...remarks(alert),
    alert.id,
  ].join("  ");

const alerts = async (context: Context, options: AlertsOptions): Promise<Exit> => {
  const { terminal, stop } = context;
  const client = context.client();
  const names = new Names(client, { stop });
  if (!options.json) await names.begin();
  let count = 0;
  for await (const alert of alertsOf(client, options, stop)) {
    count++;
    await terminal.print(options.json ? JSON.stringify(alert) : rowOf(context, alert, names));
  }
  if (!options.json) terminal.note(count === 0 ? "no alerts" : counted(count, "alert"));
  return EXIT.ok;
};

export const addAlerts = (program: Command, run: Run): void => {
  program
    .command("alerts")
    .description("show alerts, the newest first")
    .option("--firing", "only those that fire")
    .option("--json", "a JSON object a line, as the API has it")
    .action((options: AlertsOptions) => run((context) => alerts(context, options)));
};
