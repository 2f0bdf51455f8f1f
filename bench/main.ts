import { chmodSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Bench, type Measured, type RunOptions, rounded } from "./bench.ts";
import { BENCHES } from "./benches.ts";
import { machine, programState, versions } from "./machine.ts";
import { childrenOf } from "./processes.ts";
import { folded, type Kept, keptResults, RESULTS } from "./results.ts";
import { shownFiles } from "./shown.ts";
import { UnfinishedRuns } from "./unfinished.ts";
import { YARDSTICK, yardstick } from "./yardstick.ts";

const RUNS = 3;
const USAGE = `npm run bench [-- name… [--runs n] [--seconds n] [--only words]]

Names: ${[...BENCHES.keys()].join(", ")}; all of them if none is given.
Figures of ${RUNS} runs are kept in bench/results/ and shown in bench/README.md. After one that was broken off, the next
goes on with the runs that are missing, as long as the program is the same.
With --runs, --seconds (of each case) or --only (cases with these words in their name) it is a quick look: printed,
not kept.
--tables measures nothing, and writes what is kept into bench/README.md and the other documents that show it.`;

const whole = (text: string | undefined): number | null => {
  if (text === undefined) return null;
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new Error(`${text} is no number from 1 to 9999\n${USAGE}`);
};

const asked = () => {
  const options = {
    runs: { type: "string" },
    seconds: { type: "string" },
    only: { type: "string" },
    help: { type: "boolean" },
    tables: { type: "boolean" },
  } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const unknown = positionals.filter((name) => !BENCHES.has(name));
  if (unknown.length > 0) throw new Error(`there is no bench ${unknown.join(", ")}\n${USAGE}`);
  const benches = [...BENCHES].filter(([name]) => positionals.length === 0 || positionals.includes(name));
  const { help = false, tables = false, only = "" } = values;
  const [runs, seconds] = [whole(values.runs), whole(values.seconds)];
  const isQuick = runs !== null || seconds !== null || only !== "";
  const wants = (name: string) => name.includes(only);
  return { benches, runs: runs ?? RUNS, options: { seconds, wants }, isQuick, help, tables };
};

const tell = (bench: string, run: string, { name, figures }: Measured) => {
  const told = Object.entries(figures).map(([figure, value]) => `${figure} ${value}`);
  console.log(`${bench} ${run}, ${name}: ${told.join("; ")}`);
};

/** Every case of one run, each with how fast the machine was around it. */
const measureOnce = async (bench: Bench, options: RunOptions, told: (one: Measured) => void) => {
  const measured: Measured[] = [];
  let before = yardstick();
  for await (const { figures, ...one } of bench.round(options)) {
    const after = yardstick();
    const compared = { ...one, figures: { ...figures, [YARDSTICK]: rounded((before + after) / 2, 2) } };
    before = after;
    if (!options.wants(one.name)) continue;
    told(compared);
    measured.push(compared);
  }
  return measured;
};

/** `unfinished`: where whole runs are kept until all are there; null: nowhere. */
const measure = async (
  name: string,
  bench: Bench,
  runs: number,
  options: RunOptions,
  unfinished: UnfinishedRuns | null,
): Promise<Kept> => {
  const about = { bench: name, about: bench.about, at: new Date().toISOString(), machine: machine() };
  const program = programState();
  const measured = [...((await unfinished?.read()) ?? [])].slice(0, runs);
  if (measured.length > 0) console.log(`${name}: goes on after ${measured.length} of ${runs} runs`);
  while (measured.length < runs) {
    const run = `${measured.length + 1}/${runs}`;
    measured.push(await measureOnce(bench, options, (one) => tell(name, run, one)));
    if (programState() !== program)
      throw new Error("the program changed while it was measured: that run is not kept, measure it again");
    await unfinished?.write(measured);
  }
  const parameters = { ...bench.parameters };
  return { ...about, versions: versions(), parameters, runs, cases: folded(measured.flat()) };
};

const show = async (files: ReturnType<typeof shownFiles>): Promise<void> => {
  for (const [file, text] of files) await writeFile(file, text);
};
/** Nothing, where what is shown elsewhere is missing in it. */
const keep = async (kept: Kept): Promise<void> => {
  const others = keptResults().filter(({ bench }) => bench !== kept.bench);
  const files = shownFiles([...others, kept].toSorted((a, b) => (a.bench < b.bench ? -1 : 1)));
  await mkdir(RESULTS, { recursive: true });
  await writeFile(new URL(`${kept.bench}.json`, RESULTS), `${JSON.stringify(kept, null, 2)}\n`);
  await show(files);
};

const main = async (): Promise<void> => {
  const { benches, runs, options, isQuick, help, tables } = asked();
  if (help) return console.log(USAGE);
  if (tables) return show(shownFiles(keptResults()));
  for (const [name, bench] of benches)
    try {
      const lack = isQuick ? null : await bench.lacks?.();
      if (lack)
        throw new Error(`without all of its cases it is not kept; a quick look leaves some out (${lack})`);
      const unfinished = isQuick ? null : new UnfinishedRuns(name, programState());
      const kept = await measure(name, bench, runs, options, unfinished);
      if (isQuick) continue;
      await keep(kept);
      await unfinished?.forget();
    } catch (error) {
      // The others may be had all the same.
      console.error(`${name} failed:`, error);
      process.exitCode = 1;
    }
};

/** Of `statfs(2)`. */
const TMPFS = 0x01021994;
if (statfsSync(tmpdir()).type === TMPFS) {
  console.error(
    `${tmpdir()} is memory, where what is durable costs nothing: set TMPDIR to a directory on a disk`,
  );
  process.exit(1);
}
// All that any process of a bench makes is in here, and gone with the bench, even with one that is interrupted.
const directory = mkdtempSync(join(tmpdir(), "sos-bench-"));
// PostgreSQL runs as a user of its own there.
chmodSync(directory, 0o755);
process.env.TMPDIR = directory;
const leave = () => {
  for (const { pid } of childrenOf(process.pid)) process.kill(pid, "SIGKILL");
  rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
};
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    leave();
    process.exit(1);
  });
try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  leave();
}
