import { z } from "zod";
import type { PartitionState } from "../../domain/evaluation/partition-state.ts";
import { ownerOfSnapshot } from "../../domain/snapshot.ts";
import { readSealed } from "../../evaluate/sealed-snapshot.ts";
import { StartError } from "../start-error.ts";
import { linesOf } from "./archive-file.ts";
import type { Manifest, StateFile } from "./manifest.ts";

const Seal = z.strictObject({
  partition: z.int(),
  generation: z.int(),
  logId: z.string(),
  offset: z.int(),
  buckets: z.int(),
  checksum: z.string(),
});
const encoder = new TextEncoder();

const readState = async (directory: string, { path }: StateFile): Promise<PartitionState> => {
  let seal: z.infer<typeof Seal> | null = null;
  const buckets: Uint8Array[] = [];
  for await (const line of linesOf(directory, path)) {
    if (seal === null) seal = Seal.parse(JSON.parse(line));
    else buckets.push(encoder.encode(z.string().parse(JSON.parse(line))));
  }
  const [first] = buckets;
  const state =
    seal === null || first === undefined
      ? null
      : await readSealed(seal, ownerOfSnapshot(first), async (index) => buckets[index] ?? null);
  if (state === null)
    throw new StartError(
      `${path} of the archive is no state that this version of the program knows.\nImport it with the version that wrote it.`,
    );
  return state;
};

/** What the evaluators knew when the archive was made. */
export const readStates = async (directory: string, { state }: Manifest): Promise<PartitionState[]> => {
  const states: PartitionState[] = [];
  for (const file of state) states.push(await readState(directory, file));
  return states;
};
