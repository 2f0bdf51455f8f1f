import { readFileSync } from "node:fs";
import type { Kept, Spread } from "./results.ts";
import { cell, number, readmeOf, table } from "./tables.ts";

/** Finds a figure of a case of a bench; throws where there is none. */
type Find = (bench: string, name: string, figure: string) => Spread;

const finder =
  (kept: readonly Kept[]): Find =>
  (bench, name, figure) => {
    const found = kept.find((one) => one.bench === bench)?.cases.find((one) => one.name === name)?.figures[
      figure
    ];
    if (found === undefined)
      throw new Error(
        `bench/results/${bench}.json has no "${figure}" of "${name}": measure it again, or show another`,
      );
    return found;
  };

const LIGHT = "alert, at 100,000 readings/s";
const HALF = "alert, at half of what goes through";
const FULL = "embedded, 100 a frame";
const STREAMS = "10000 streams, bare";
const SUBSCRIBED = "10000 streams, subscribed";
const HEALTHY = "300 events/s to 1000 endpoints, 0 hanging";
const HANGING = "300 events/s to 1000 endpoints, 100 hanging";
const RESTARTED = "100000 signals";
const OFFERED = 500_000;
const LIGHT_PER_SECOND = 100_000;
/** What README.md promises. */
const STOPS_WITHIN_SECONDS = 10;
/** What the project wants of a machine with two cores that carries senders and receivers, too. */
const TARGETS = {
  framesPerSecond: 800_000,
  singlesPerSecond: 300_000,
  uplinksPerSecond: 150_000,
  shareOnKafka: 0.5,
  cpuSecondsPerMillion: 1.9,
  alertMs: { p50: 15, p99: 50 },
  /** 900 MB. */
  peakMibOfMany: 858,
  evaluatedAfterSeconds: 5,
  shareOfSlowestStage: 0.7,
  queryMs: { hour: 15, month: 50, signal: 25 },
  page: {
    scriptsKb: 180,
    stylesKb: 15,
    paintedMs: 900,
    usableMs: 1_500,
    previewMs: 250,
    frameMs: 17,
    longTasks: 0,
    heapMbAnHour: 5,
  },
} as const;

/** How it stands beside a target of the project. */
const against = (target: string, isReached: boolean): string =>
  `${target}: ${isReached ? "reached" : "not reached"}`;

const show = (find: Find) => {
  const median = (bench: string, name: string, figure: string) =>
    number.format(find(bench, name, figure).median);
  const perSecond = (name: string) => cell(find("end-to-end", name, "readings/s"));
  const atLeast = (name: string, target: number) =>
    against(`${number.format(target)}/s`, find("end-to-end", name, "readings/s").median >= target);
  const atMost = (bench: string, name: string, figure: string, target: number, unit: string) =>
    against(`${number.format(target)} ${unit}`, find(bench, name, figure).median <= target);
  const waits = (bench: string, name: string) =>
    `${median(bench, name, "p50 ms")} ms (median), ${cell(find(bench, name, "p99 ms"))} ms (99 %)`;
  const cpu = (bench: string, name: string, of: string) => median(bench, name, `CPU s per million, ${of}`);
  const peak = (bench: string, name: string, of: string) => median(bench, name, `peak MiB, ${of}`);
  const most = (bench: string, name: string, of: string) =>
    number.format(find(bench, name, `peak MiB, ${of}`).max);
  const cores = (of: string) =>
    number.format((find("latency", LIGHT, `CPU s per million, ${of}`).median * LIGHT_PER_SECOND) / 1e6);
  return { find, median, perSecond, atLeast, atMost, waits, cpu, peak, most, cores };
};
type Show = ReturnType<typeof show>;

const fanned = ({ find, waits }: Show, format: string): string[] => {
  const name = `${format}, of ${OFFERED} updates/s`;
  const came = find("fanout", name, "updates/s");
  return [
    `newest values to 200 subscribers (${format}), ${number.format(OFFERED)} updates/s offered, each signal at most ten times a second`,
    `${cell(came)} updates/s after ${waits("fanout", name)}`,
    against("all", came.median >= 0.99 * OFFERED),
  ];
};

/** A query beside a sender that sends as much as is taken. */
const asked = ({ find, waits, atMost }: Show, query: string, targetMs: number): string[] => {
  const name = `${query}, 5/s, beside full ingest`;
  const beside = number.format(find("latency", name, "readings/s").median);
  return [
    `${query.startsWith("GET") ? `\`${query}\`` : query}, five times a second beside full ingest (${beside} readings/s)`,
    waits("latency", name),
    atMost("latency", name, "p99 ms", targetMs, "ms (99 %)"),
  ];
};

/** What is shown of all that was measured, each with its target, if the project has one. */
const headlines = (shown: Show) => {
  const { find, median, perSecond, atLeast, atMost, waits, cpu, most } = shown;
  const { alertMs } = TARGETS;
  const half = (figure: "p50 ms" | "p99 ms") => find("latency", HALF, figure).median;
  const stop = find("recovery", RESTARTED, "s to stop");
  const untold = find("latency", LIGHT, "untold");
  return {
    frames: [
      'readings the whole way (durable, evaluated, in ClickHouse), in frames of 100, each `{"id":…,"rssi":…}` and none a failure',
      `**${perSecond(FULL)}/s**`,
      atLeast(FULL, TARGETS.framesPerSecond),
    ],
    singles: [
      "the same, one a frame",
      `${perSecond("embedded, one a frame")}/s`,
      atLeast("embedded, one a frame", TARGETS.singlesPerSecond),
    ],
    tenGateways: [
      "the same, `ttn-v3` uplinks that ten gateways heard",
      `${perSecond("embedded, ttn-v3 by ten gateways")}/s`,
      atLeast("embedded, ttn-v3 by ten gateways", TARGETS.uplinksPerSecond),
    ],
    oneGateway: [
      "the same, `ttn-v3` uplinks that one gateway heard",
      `${perSecond("embedded, ttn-v3 by one gateway")}/s`,
      atLeast("embedded, ttn-v3 by one gateway", TARGETS.uplinksPerSecond),
    ],
    shareOfSlowest: [
      "the whole way in frames of 100, against the slowest of its stages alone",
      cell(find("end-to-end", FULL, "share of the slowest stage")),
      against(
        number.format(TARGETS.shareOfSlowestStage),
        find("end-to-end", FULL, "share of the slowest stage").median >= TARGETS.shareOfSlowestStage,
      ),
    ],
    kafka: [
      "the same in frames of 100, with a Kafka broker as the log (which acknowledges before its disk has them)",
      `${perSecond("on Kafka, 100 a frame")}/s`,
      against(
        "half of that",
        find("end-to-end", "on Kafka, 100 a frame", "share of embedded").median >= TARGETS.shareOnKafka,
      ),
    ],
    cost: [
      "what a million of them take in frames of 100, ClickHouse included",
      `${cpu("end-to-end", FULL, "ours")} CPU s; ${most("end-to-end", FULL, "ours")} MiB at most`,
      atMost("end-to-end", FULL, "CPU s per million, ours", TARGETS.cpuSecondsPerMillion, "CPU s"),
    ],
    alert: [
      `from a reading to its \`signal.failed\` on the stream, beside ${number.format(LIGHT_PER_SECOND)} readings/s`,
      waits("latency", LIGHT),
      "",
    ],
    untold: ["failures of these that were not told", cell(untold), against("0", untold.max === 0)],
    alertAtHalf: [
      `the same beside half of what goes through (${median("latency", HALF, "readings/s")} readings/s)`,
      waits("latency", HALF),
      against(
        `${alertMs.p50} and ${alertMs.p99} ms`,
        half("p50 ms") <= alertMs.p50 && half("p99 ms") <= alertMs.p99,
      ),
    ],
    hour: asked(shown, "last hour of one signal by the minute", TARGETS.queryMs.hour),
    month: asked(shown, "30 days by hour", TARGETS.queryMs.month),
    signal: asked(shown, "GET /v1/signals/{id}", TARGETS.queryMs.signal),
    json: fanned(shown, "json"),
    compact: fanned(shown, "compact"),
    webhooks: [
      "signed deliveries of webhooks to 20 endpoints",
      `${cell(find("webhooks", "all at once, to 20 endpoints", "deliveries/s"))}/s`,
      "",
    ],
    toEndpoint: [
      "from an event to its arrival at one of 1,000 endpoints, 300 events/s",
      waits("webhooks", HEALTHY),
      "",
    ],
    hanging: [
      "that 99th percentile where 100 of the 1,000 hang, against none",
      `${cell(find("webhooks", HANGING, "p99 ms"))} ms, against ${cell(find("webhooks", HEALTHY, "p99 ms"))} ms`,
      "",
    ],
    requests: [
      "`GET /v1/signals/{id}` on 50 connections",
      `${median("api", "GET /v1/signals/{id}", "requests/s")} requests/s`,
      "",
    ],
    streams: [
      "memory of an open stream, and with a subscription",
      `${median("idle", STREAMS, "KiB each")} and ${median("idle", SUBSCRIBED, "KiB each")} KiB`,
      "",
    ],
    ready: [
      "ready again with 100,000 signals after kill -9",
      `${cell(find("recovery", RESTARTED, "s to ready, after SIGKILL"))} s`,
      "",
    ],
    evaluates: [
      "until it evaluates again with 100,000 signals after kill -9, beginning with what the log held",
      `${cell(find("recovery", RESTARTED, "s to the first evaluated reading"))} s`,
      atMost("recovery", RESTARTED, "s to the first evaluated reading", TARGETS.evaluatedAfterSeconds, "s"),
    ],
    tells: [
      "until it has told of a failure that came since",
      `${cell(find("recovery", RESTARTED, "s to the first alert"))} s`,
      "",
    ],
    memory: [
      "memory of all processes before that, with 100,000 signals beside 200,000 readings/s",
      `${most("recovery", RESTARTED, "ours")} MiB at most`,
      atMost("recovery", RESTARTED, "peak MiB, ours", TARGETS.peakMibOfMany, "MiB"),
    ],
    stops: [
      "to drain them at SIGTERM",
      `${cell(stop)} s`,
      against(`${STOPS_WITHIN_SECONDS} s`, stop.max <= STOPS_WITHIN_SECONDS),
    ],
  };
};
const HEADINGS = ["what", "figure", "target"];

const CELLS = "10000 signals, 10 updates/s each";
const LEFT_OPEN = "overview left open for 10 min";
const CHART_LEFT_OPEN = "chart left open for 10 min";
const LEFT_OPEN_AN_HOUR = 6;

/** What the pages weigh and take, against what they may. */
const ofPages = ({ find, median, atMost }: Show): string => {
  const { page } = TARGETS;
  const row = (what: string, name: string, figure: string, most: number, unit: string) => [
    what,
    `${cell(find("dashboard", name, figure))} ${unit}`,
    atMost("dashboard", name, figure, most, unit),
  ];
  const sizes = "first page, packed";
  const load = "first load, 4 times slower, 10 Mb/s";
  const charts = "300 charts opened and closed";
  const heap = (name: string) => find("dashboard", name, "MB of heap more").median * LEFT_OPEN_AN_HOUR;
  const left = (what: string, name: string) => [
    what,
    `${number.format(heap(name))} MB an hour`,
    against(`${page.heapMbAnHour} MB`, heap(name) <= page.heapMbAnHour),
  ];
  return table(HEADINGS, [
    row("scripts of the first page, packed", sizes, "kB of scripts", page.scriptsKb, "kB"),
    row("its styles", sizes, "kB of styles", page.stylesKb, "kB"),
    row(
      "something is painted, on a slow machine and line",
      load,
      "ms to the first paint",
      page.paintedMs,
      "ms",
    ),
    row("it can be used there", load, "ms until it can be used", page.usableMs, "ms"),
    row(
      "readings of a source that is mapped, after the click",
      "a mapping is seen",
      "ms until its readings are there",
      page.previewMs,
      "ms",
    ),
    row("between two frames of 10,000 signals, 95 %", CELLS, "frame ms, p95", page.frameMs, "ms"),
    row("tasks over 50 ms in 20 s of that", CELLS, "tasks over 50 ms", page.longTasks, "tasks"),
    [
      "left behind by 300 charts",
      `${median("dashboard", charts, "nodes more")} nodes, ${median("dashboard", charts, "listeners more")} listeners, ${median("dashboard", charts, "MB of heap more")} MB`,
      against(
        "no node, no listener",
        ["nodes more", "listeners more"].every((figure) => find("dashboard", charts, figure).median <= 0),
      ),
    ],
    left("what gathers in an overview left open", LEFT_OPEN),
    left("what gathers in a chart left open", CHART_LEFT_OPEN),
  ]);
};

const machines = (kept: readonly Kept[]): string => {
  const each = kept.map(({ machine: { cpu, cores, memoryGib } }) => `${cores} × ${cpu}, ${memoryGib} GiB`);
  return [...new Set(each)].join("; ");
};

const isMissed = (row: readonly string[]): boolean => row.at(-1)?.endsWith("not reached") ?? false;

/** The whole of it, at the head of what was measured. */
const inShort = (kept: readonly Kept[], shown: Show): string => `
Medians of several runs (least–greatest) on ${machines(kept)}, where senders and receivers had the same cores.

${table(HEADINGS, Object.values(headlines(shown)))}
`;

/** What a newcomer asks first, misses included. */
const howFast = (kept: readonly Kept[], shown: Show): string => {
  const rows = headlines(shown);
  const { frames, oneGateway, alert, alertAtHalf, hour, evaluates } = rows;
  const aimed = Object.values(rows).filter((row) => row.at(-1) !== "");
  return `
Medians of several runs (least–greatest) on ${machines(kept)}, where senders and receivers had the same cores. Of ${aimed.length} targets ${aimed.filter(isMissed).length} are not reached: [all of them](bench/README.md#in-short), and how each was measured, and when.

${table(HEADINGS, [frames, oneGateway, alert, alertAtHalf, hour, evaluates])}
`;
};

const source = (bench: string): string => `[${bench}.json](../bench/results/${bench}.json)`;

const work = ({ perSecond, waits, cpu, cores, median }: Show): string => {
  const costs = (bench: string, name: string, ...of: string[]) =>
    `${of.map((one) => `${cpu(bench, name, one)} (${one})`).join(", ")} CPU s per million`;
  const folded = (signals: number) =>
    `${cpu("evaluate", `fold, ${signals} signals, ${signals === 1_000 ? 10 : 1} rules, 0 ‰ bad`, "service")} µs`;
  const alone = (name: string) => `${median("end-to-end", name, "readings/s")} readings/s`;
  return `
${table(
  ["what", "figure", "source"],
  [
    [
      "all workers in one process, 100,000 readings/s in frames of 100",
      `${cores("service")} of a core, and ${cores("ClickHouse")} for ClickHouse: ${costs("latency", LIGHT, "service", "ClickHouse")}; a failure is told after ${waits("latency", LIGHT)}`,
      source("latency"),
    ],
    [
      "the same, as much as goes the whole way, into ClickHouse and its rollups",
      `${perSecond(FULL)} readings/s; ${costs("end-to-end", FULL, "service", "ClickHouse")}`,
      source("end-to-end"),
    ],
    [
      "the same with Kafka as its log, the broker on the same cores",
      `${perSecond("on Kafka, 100 a frame")} readings/s; ${costs("end-to-end", "on Kafka, 100 a frame", "service", "ClickHouse", "Kafka")}`,
      source("end-to-end"),
    ],
    ["ingest alone, in frames of 100", alone("ingest alone, 100 a frame"), source("end-to-end")],
    ["ingest alone, one a frame", alone("ingest alone, one a frame"), source("end-to-end")],
    ["evaluate alone", alone("evaluate alone"), source("end-to-end")],
    ["record alone, beside ClickHouse", alone("record alone"), source("end-to-end")],
    [
      "folding a reading: of 1,000 signals (10 rules), 100,000, a million (1 rule)",
      [1_000, 100_000, 1_000_000].map(folded).join(", "),
      source("evaluate"),
    ],
  ],
)}
`;
};

/** What stands between `<!-- measured: name -->` and `<!-- /measured -->` in documents, by the name. */
const blocks = (kept: readonly Kept[]): Record<string, string> => {
  const shown = show(finder(kept));
  const { median, peak, cores, find } = shown;
  const perSignal = find("evaluate", "fold, 1000000 signals, 1 rules, 0 ‰ bad", "bytes per signal").median;
  return {
    "how-fast": howFast(kept, shown),
    "in short": inShort(kept, shown),
    work: work(shown),
    pages: `\n${ofPages(shown)}\n`,
    cores: `${cores("service")} of a core, and ${cores("ClickHouse")} for ClickHouse`,
    "memory of all": `${peak("latency", LIGHT, "service")} MiB beside 100,000 readings/s over 1,000 signals, and ${peak("latency", LIGHT, "ClickHouse")} MiB in the embedded ClickHouse; ${peak("end-to-end", FULL, "service")} and ${peak("end-to-end", FULL, "ClickHouse")} MiB at full speed; on Kafka ${peak("end-to-end", "on Kafka, 100 a frame", "service")} MiB; with more signals ${peak("scale", "100000 signals", "service")} MiB (100,000) and ${peak("scale", "1000000 signals", "service")} MiB (a million), and ${peak("scale", "1000000 signals", "ClickHouse")} MiB in ClickHouse`,
    "memory of a signal": `${number.format(perSignal)} bytes a signal, **${number.format(perSignal / 1_000)} GB per million**`,
    "memory of a stream": `${median("idle", STREAMS, "KiB each")} KiB for each open stream, ${median("idle", SUBSCRIBED, "KiB each")} KiB with a subscription`,
  };
};

/** The document with what is measured as it is now; throws where it names what there is not. */
export const withMeasured = (text: string, kept: readonly Kept[]): string => {
  const known = blocks(kept);
  return text.replaceAll(
    /(<!-- measured: (.+?) -->).*?(<!-- \/measured -->)/gs,
    (_, begin: string, name: string, end: string) => {
      const block = known[name];
      if (block === undefined) throw new Error(`nothing that is measured is called ${name}`);
      return `${begin}${block}${end}`;
    },
  );
};

const file = (path: string): URL => new URL(`../${path}`, import.meta.url);
/** Every document that shows figures, as it should be now. */
export const shownFiles = (kept: readonly Kept[]): [URL, string][] => [
  [file("bench/README.md"), withMeasured(readmeOf(kept), kept)],
  ...["README.md", "deploy/README.md"].map((path): [URL, string] => [
    file(path),
    withMeasured(readFileSync(file(path), "utf8"), kept),
  ]),
];
