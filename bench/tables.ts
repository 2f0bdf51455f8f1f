import type { Kept, Spread } from "./results.ts";

export const number = new Intl.NumberFormat("en-US", { maximumFractionDigits: 2 });
export const cell = (spread: Spread | undefined): string => {
  if (spread === undefined) return "";
  const { min, median, max } = spread;
  return min === max
    ? number.format(median)
    : `${number.format(median)} (${number.format(min)}–${number.format(max)})`;
};

const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(head), row(head.map((_, at) => (at === 0 ? "---" : "---:"))), ...rows.map(row)].join("\n");

/** Cases or figures go down, whichever are more. */
const tableOf = (cases: Kept["cases"]): string => {
  const figures = [...new Set(cases.flatMap((one) => Object.keys(one.figures)))];
  const names = cases.map(({ name }) => name);
  if (cases.length > figures.length)
    return table(
      ["", ...figures],
      cases.map((one) => [one.name, ...figures.map((figure) => cell(one.figures[figure]))]),
    );
  return table(
    ["", ...names],
    figures.map((figure) => [figure, ...cases.map((one) => cell(one.figures[figure]))]),
  );
};

const parametersOf = (parameters: object): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : value}`)
    .join(", ");

const sectionOf = ({ bench, about, at, machine, versions, parameters, runs, cases }: Kept): string => {
  const { cpu, cores, memoryGib, loadAverage, commit } = machine;
  const on = `${cores} × ${cpu}, ${memoryGib} GiB, load ${loadAverage} before`;
  const with_ = Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(", ");
  return `## ${bench}

${about}

\`npm run bench -- ${bench}\`: ${runs} runs at commit ${commit}, ${at.slice(0, 16).replace("T", " ")} UTC, on ${on}; ${with_}. Parameters: ${parametersOf(parameters)}. [${bench}.json](results/${bench}.json)

${tableOf(cases)}
`;
};

const HEAD = `# What it does, measured

Made by \`npm run bench\` of the files in \`results/\`; not to be edited by hand.

To repeat it, on a machine that does nothing else: \`npm run bench\` for everything, \`npm run bench -- latency recovery\` for some, and \`npm run bench -- latency --runs 1 --seconds 5\` for a quick look that is printed and not kept. To see where the time goes: \`npx node --cpu-prof --cpu-prof-dir=profiles bench/main.ts end-to-end --runs 1 --only "embedded, 100"\`. On Kafka it starts a broker of its own, for which Java 17 and Maven must be there. Figures need Linux: they are read from \`/proc\`.

Each figure is the median of its runs, with the least and the greatest behind it. Who sends, asks and receives are processes of their own on the same cores; only under backtest one request comes from the process that answers it. What the generator sends is made before. Queries and events that come at a pace count from when they were due, alerts from when their reading was sent. The service is as \`npm start\` runs it, without the demo and with a limit of requests that is never reached. "MiB" is a process's own memory (RssAnon): mapped pages of the log do not count, since the system takes them back at will. "Ours" are the service with its ClickHouse, and Kafka where it is used, without who sends, asks and receives. CPU seconds are those of a million readings that went the whole way, unless it says of what. "Load" is that of the minute before the first bench of its command. Compare figures of one table: machines differ, and so do their hours. How fast the machine was around each case is what JSON.parse took then, on one core, for a reading of the frames that most benches send.

## In short

<!-- measured: in short --><!-- /measured -->

The dashboard, in Chromium on the machine that ran the service, too; a slow machine and line are a quarter of its speed and 10 Mb/s:

<!-- measured: pages --><!-- /measured -->
`;

/** The README beside the benches. */
export const readmeOf = (kept: readonly Kept[]): string => [HEAD, ...kept.map(sectionOf)].join("\n");
