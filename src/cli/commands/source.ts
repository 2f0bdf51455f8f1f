import type { Command } from "commander";
import type { z } from "zod";
import { SourceCreate } from "../../../schemas/source.ts";
import type { SourceTestAnswer, TriedMessage, TriedStep } from "../../../schemas/source-actions.ts";
import type { paths } from "../../client/generated.ts";
import { asWritten } from "../config/as-written.ts";
import { parseSource } from "../config/yaml-file.ts";
import { type Context, EXIT, type Exit, type Run } from "../context.ts";
import { shown } from "../terminal.ts";
import { dbm } from "../words.ts";

type Tried = z.input<typeof SourceTestAnswer>;
const Body = asWritten<paths["/v1/integrations/sources/test"]["post"]>(SourceCreate);

/** Of a text that may be long, as much as fits a line. */
const short = (text: string): string => shown(text.length > 100 ? `${text.slice(0, 100)}…` : text);

const stepLine = ({ terminal }: Context, { step, expect, ok, came }: TriedStep): string => {
  const mark = ok ? terminal.paint("green", "✓") : terminal.paint("red", "✗");
  const what =
    expect === null
      ? "sent"
      : `expected ${short(expect)}, ${came === null ? "nothing came" : `came ${short(came)}`}`;
  return `${mark} step ${step} of the handshake: ${what}`;
};

const messageLines = ({ terminal: { paint } }: Context, message: z.input<typeof TriedMessage>): string[] => [
  paint("dim", short(message.payload)),
  ...message.readings.map(
    ({ signal, at, strength }) => `  ${dbm(strength).padStart(11)}  ${at}  ${shown(signal)}`,
  ),
  ...message.rejections.map(({ reason, detail }) => `  ${paint("red", reason)}  ${shown(detail)}`),
  ...(message.skipped > 0 ? [`  ${message.skipped} skipped: of another kind`] : []),
];

/** It is connected, and what it sends, if anything, maps to readings. */
const works = ({ connected, messages }: Tried): boolean =>
  connected && (messages.length === 0 || messages.some(({ mapped }) => mapped > 0));

const linesOf = (context: Context, tried: Tried): string[] => {
  const { paint } = context.terminal;
  const readings = tried.messages.reduce((sum, { mapped }) => sum + mapped, 0);
  const state = tried.connected ? paint("green", "connected") : paint("red", "not connected");
  const why = tried.reason === null ? "" : `: ${shown(tried.reason)}`;
  const seconds = (tried.durationMs / 1000).toFixed(1);
  return [
    ...tried.handshake.map((step) => stepLine(context, step)),
    ...tried.messages.flatMap((message) => messageLines(context, message)),
    `${state}${why}; ${tried.messages.length} messages and ${readings} readings in ${seconds} s`,
  ];
};

const test = async (context: Context, file: string, { json }: { json?: true }): Promise<Exit> => {
  const body = Body.parse(parseSource(file, await context.read(file), context.environment));
  const tried = await context.client().post("/v1/integrations/sources/test", { body, signal: context.stop });
  for (const line of json ? [JSON.stringify(tried)] : linesOf(context, tried))
    await context.terminal.print(line);
  return works(tried) ? EXIT.ok : EXIT.no;
};

const ABOUT = `
The file holds one source as POST /v1/integrations/sources takes it, in YAML or JSON; - is standard input:

  type: websocket
  name: gateway
  url: wss://gateway.example/feed
  headers: { Authorization: "Bearer \${GATEWAY_TOKEN}" }
  mapping: { signal: $.device, strength: $.rssi }

\${NAME} is taken from the environment. The service connects, not this machine. Nothing is stored.
Exit code 1: it is not connected, or nothing of what it sent is a reading.`;

export const addSource = (program: Command, run: Run): void => {
  program
    .command("source")
    .description("try where readings come from: source test")
    .command("test")
    .argument("<file>")
    .description("try a source before it is saved, for up to 10 s")
    .option("--json", "the answer as the API has it")
    .addHelpText("after", ABOUT)
    .action((file: string, options: { json?: true }) => run((context) => test(context, file, options)));
};
