import { type Command, Option } from "commander";
import { EventKind, type SignalServiceEvent } from "../../../schemas/event.ts";
import type { LiveReading } from "../../../schemas/stream.ts";
import type { LiveSelection } from "../../client/live-stream.ts";
import type { ConnectionState } from "../../client/reconnecting.ts";
import { type Context, EXIT, type Exit, type Run } from "../context.ts";
import { labelOption } from "../label-option.ts";
import { Names } from "../names.ts";
import { shown } from "../terminal.ts";
import { dbm, paintedStatus, percent } from "../words.ts";

interface TailOptions {
  readonly label?: readonly string[];
  readonly signal?: readonly string[];
  readonly only?: "readings" | "events";
  readonly event?: readonly EventKind[];
  readonly after?: string;
  readonly json?: true;
}

const labelled = (pairs: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    pairs.map((pair) => {
      const colon = pair.indexOf(":");
      return [pair.slice(0, colon), pair.slice(colon + 1)];
    }),
  );

const selectionOf = ({ label, signal, only, event, after }: TailOptions): LiveSelection => ({
  ...(only !== "events" && {
    readings: {
      ...(signal ? { signalIds: [...signal] } : label ? {} : { signalIds: "all" as const }),
      ...(label && { labels: labelled(label) }),
      maxPerSecond: 2,
    },
  }),
  ...(only !== "readings" && {
    events: {
      ...(event && { types: [...event] }),
      ...(signal && { signalIds: [...signal] }),
      ...(after !== undefined && { after }),
    },
  }),
});

const timeOf = (at: string): string => at.slice(11, 23);

const ofReading = (context: Context, reading: LiveReading, names: Names): string => {
  const { at, signalId, strength, quality, status } = reading;
  const values = `${dbm(strength).padStart(11)}  ${percent(quality).padStart(5)}`;
  return `${timeOf(at)}  ${values}  ${paintedStatus(context.terminal, status, 6)}  ${names.of(signalId)}`;
};

const subjectOf = ({ data: { signal, alert, source } }: SignalServiceEvent): string => {
  const [name, more] = [signal?.name ?? source?.name ?? "", alert?.ruleName ?? source?.reason ?? ""];
  return shown(more === "" ? name : `${name}: ${more}`);
};

const ofEvent = ({ terminal }: Context, event: SignalServiceEvent): string => {
  const kind = event.event.padEnd(19);
  const isBad = /failed|firing|disconnected/.test(kind);
  return `${timeOf(event.createdAt)}  ${terminal.paint(isBad ? "red" : "cyan", kind)}        ${subjectOf(event)}`;
};

const hasLabels = ({ data }: SignalServiceEvent, labels: Record<string, string>): boolean =>
  Object.entries(labels).every(([key, value]) => data.signal?.labels[key] === value);

const tellConnection =
  ({ terminal: { note, paint } }: Context) =>
  (connection: ConnectionState): void => {
    if (connection.state === "open") return;
    const why = connection.reason instanceof Error ? `: ${shown(connection.reason.message)}` : "";
    const seconds = (connection.waitMs / 1000).toFixed(1);
    note(paint("yellow", `connection lost${why}; again in ${seconds} s`));
  };

const tail = async (context: Context, options: TailOptions): Promise<Exit> => {
  const { terminal, stop } = context;
  const client = context.client();
  const names = new Names(client, { label: options.label, stop });
  const labels = labelled(options.label ?? []);
  if (options.only !== "events" && !options.json) await names.begin();
  const follow = { signal: stop, onConnection: tellConnection(context) };
  for await (const message of client.live(selectionOf(options), follow)) {
    if (message.type === "readings")
      for (const one of message.readings) {
        if (stop.aborted) break;
        await terminal.print(options.json ? JSON.stringify(one) : ofReading(context, one, names));
      }
    else if (hasLabels(message.event, labels)) {
      const { signal } = message.event.data;
      if (signal) names.learn(signal.id, signal.name);
      await terminal.print(options.json ? JSON.stringify(message.event) : ofEvent(context, message.event));
    }
    if (stop.aborted) break;
  }
  await names.settled();
  return EXIT.ok;
};

export const addTail = (program: Command, run: Run): void => {
  program
    .command("tail")
    .description("show readings and events as they happen, until Ctrl-C")
    .addOption(labelOption())
    .option("--signal <id...>", "only these signals")
    .addOption(
      new Option("--only <what>", "one of the two: without it both are shown").choices([
        "readings",
        "events",
      ]),
    )
    .addOption(new Option("--event <kind...>", "only events of these kinds").choices(EventKind.options))
    .option("--after <event id>", "begin with the events after this one")
    .option("--json", "a JSON object a line: a reading, or an event as the API has it")
    .addHelpText(
      "after",
      "\nOf each signal the newest reading is shown, at most twice a second; events all are.",
    )
    .action((options: TailOptions) => run((context) => tail(context, options)));
};
