// Run by crash.test.ts, which kills it. Prints `acknowledged <partition> <offset> <text>` for every append that was
// answered, and `seen <partition> <offset>` for every record that a consumer was given.
import { openTestLog } from "../../support/lmdb-log.ts";

const [directory = "", run = ""] = process.argv.slice(2);
const PARTITIONS = 3;
const say = (line: string) => process.stdout.write(`${line}\n`);

const log = await openTestLog({ directory, partitions: { readings: PARTITIONS } });
await log.consume({
  group: "g",
  topic: "readings",
  assigned: async ({ partition, committed, commit }) => ({
    startAt: committed ?? 0,
    records: async (batch) => {
      for (const { offset } of batch) say(`seen ${partition} ${offset}`);
      const next = (batch.at(-1)?.offset ?? 0) + 1;
      await commit(next);
      say(`committed ${partition} ${next}`);
      // Retention of a kind: the file is rewritten while it is killed.
      if (next % 5 === 0) await log.trim("readings", partition, next - 200);
    },
    revoked: async () => undefined,
  }),
});
let count = 0;
const appendForEver = async (partition: number): Promise<never> => {
  for (;;) {
    const text = `${run} ${count++}`.padEnd(partition * 4_000 + 20, ".");
    const [place] = await log.append("readings", [{ partition, value: Buffer.from(text) }]);
    say(`acknowledged ${partition} ${place?.offset} ${text.trim().replace(/\.+$/, "")}`);
  }
};
await Promise.all(Array.from({ length: 12 }, (_, i) => appendForEver(i % PARTITIONS)));
