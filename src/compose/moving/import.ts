import type { Surroundings } from "../../ports/surroundings.ts";
import type { Engines } from "../engines.ts";
import { StartError } from "../start-error.ts";
import { inTurn } from "../start-lock.ts";
import { appendSources, LOG_ID, succeed } from "../succession.ts";
import { type ImportFact, writeImport } from "./import-fact.ts";
import { readStates } from "./import-state.ts";
import { type ImportStep, stepsOf } from "./import-steps.ts";
import { beginImport } from "./import-target.ts";
import type { Manifest } from "./manifest.ts";
import { counted, type Step, type Terminal } from "./terminal.ts";
import { compareTotals, differ, totalsText } from "./totals.ts";

/** Does the steps that are left, noting each; steps that were done before are counted as done. */
const doSteps = async (
  steps: readonly ImportStep[],
  fact: ImportFact,
  note: (steps: number) => Promise<void>,
  terminal: Terminal,
): Promise<void> => {
  const groups = Map.groupBy(steps.entries(), ([, { name }]) => name);
  for (const [name, members] of groups) {
    const step = terminal.step(name);
    const total = members.reduce((sum, [, { rows }]) => sum + rows, 0);
    let rows = 0;
    for (const [index, member] of members) {
      if (index >= fact.steps) {
        await member.run();
        await note(index + 1);
      }
      rows += member.rows;
      step.at(`${counted(rows)} of ${counted(total)} rows`);
    }
    step.done(`${counted(total)} rows`);
  }
};

/** The state as snapshots at the beginning of the new log; nothing where an earlier try has come past that. */
const carryState = async (
  directory: string,
  manifest: Manifest,
  engines: Engines,
  surroundings: Surroundings,
  step: Step,
): Promise<void> => {
  const { log, control } = engines;
  if ((await control.facts.get(LOG_ID)) !== log.logId) {
    const before = { states: await readStates(directory, manifest), eventsEnd: manifest.ends.events };
    // Nobody else may import, or start, meanwhile: what a frozen import does when it wakes is done again the same.
    await succeed(before, engines, surroundings, new AbortController().signal);
  }
  await appendSources(engines);
  step.done(
    `${counted(manifest.ends.readings.length)} partitions into ${counted(log.partitions("readings"))}`,
  );
};

/**
 * Fills empty engines with an archive whose files are sound. Cut off anywhere, it is called again and goes on; until it
 * has finished, no worker starts on these engines. Throws StartError, also where the totals differ in the end.
 */
export const importFrom = async (
  directory: string,
  manifest: Manifest,
  engines: Engines,
  surroundings: Surroundings,
  terminal: Terminal,
): Promise<void> => {
  const { control } = engines;
  // A service that starts at this moment comes before, and is found, or after, and is refused.
  const fact = await inTurn(control, surroundings, () => beginImport(manifest, engines));
  if (fact.finished) return terminal.say("  This archive was imported here before: nothing is left to do.");
  await engines.timeSeries.transfer.keepAll();
  const note = (steps: number) => writeImport(control, { ...fact, steps });
  const steps = stepsOf(directory, manifest, engines);
  await doSteps(steps, fact, note, terminal);
  await carryState(directory, manifest, engines, surroundings, terminal.step("state"));
  const totals = await compareTotals(manifest, engines);
  terminal.say(`\n${totalsText(totals)}`);
  if (totals.some(differ))
    throw new StartError(
      "The totals differ: what is here is not what was exported, and no service starts on it.\nImport again into engines that are empty; the archive is as it was.",
    );
  await writeImport(control, { ...fact, steps: steps.length, finished: true });
};
