import { expect, it } from "vitest";
import { DiskSpace } from "../../../src/adapters/lmdb/disk-space.ts";
import { GroupCommit } from "../../../src/adapters/lmdb/group-commit.ts";
import { ManualClock } from "../../support/clock.ts";
import { until } from "../../support/until.ts";

const PLENTY = new DiskSpace(
  () => 2 ** 40,
  () => 0,
);

/** Group commit over a disk that answers when the test says so. */
const onDisk = () => {
  const clock = new ManualClock();
  const written: string[][] = [];
  const answers: PromiseWithResolvers<void>[] = [];
  const failures: string[] = [];
  const committed: string[] = [];
  let open: string[] = [];
  const commit = new GroupCommit({
    space: PLENTY,
    clock,
    transaction: (puts) => {
      open = [];
      puts();
      written.push(open);
      const answer = Promise.withResolvers<void>();
      answers.push(answer);
      return answer.promise;
    },
    committed: () => undefined,
    failed: (error) => failures.push(error.message),
  });
  const submit = (name: string, bytes = 1) =>
    commit.submit({
      bytes,
      makesRoom: false,
      put: () => {
        if (name === "broken") throw new Error("a bug");
        open.push(name);
      },
      committed: () => committed.push(name),
    });
  /** Waits for the next transaction and answers it. */
  const answer = async (error?: Error) => {
    const next = await until("a transaction", () => answers.shift());
    if (error === undefined) next.resolve();
    else next.reject(error);
  };
  return { clock, commit, written, failures, committed, submit, answer };
};

it("puts the writes of one turn into one transaction, and those that come while it runs into the next", async () => {
  const { written, submit, answer } = onDisk();
  const first = [submit("a"), submit("b"), submit("c")];
  await until("the first transaction", () => written.length === 1);
  const second = [submit("d"), submit("e")];
  await answer();
  await Promise.all(first);
  await answer();
  await Promise.all(second);
  expect(written).toEqual([
    ["a", "b", "c"],
    ["d", "e"],
  ]);
});

it("fails all writes of a transaction that fails, and none of the next", async () => {
  const { submit, answer, failures, committed } = onDisk();
  const failed = Promise.allSettled([submit("a"), submit("b")]);
  await answer(Object.assign(new Error("No space left on device"), { code: 28 }));
  expect((await failed).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(failures).toEqual([
    "The disk of the event log is full (ENOSPC): free some space, nothing else is needed.",
  ]);
  const next = submit("c");
  await answer();
  await next;
  expect(committed).toEqual(["c"]);
});

it("lets a write that throws take no other with it", async () => {
  const { submit, answer, written } = onDisk();
  const broken = submit("broken");
  const whole = submit("a");
  const refused = expect(broken).rejects.toThrow("a bug");
  await answer();
  await Promise.all([whole, refused]);
  expect(written).toEqual([["a"]]);
});

it("divides what is too much for one transaction, and refuses what is too much to wait", async () => {
  const { submit, answer, written, commit } = onDisk();
  const large = 20 * 2 ** 20;
  const taken = Array.from({ length: 12 }, (_, i) => submit(`${i}`, large));
  await expect(submit("too much", large)).rejects.toThrow("Too much waits");
  expect(commit.pendingBytes).toBe(12 * large);
  for (const _ of taken) await answer();
  await Promise.all(taken);
  expect(written).toHaveLength(12);
  expect(commit.pendingBytes).toBe(0);
});

it("says for how long the disk has not answered", async () => {
  const { clock, commit, submit, answer, written } = onDisk();
  expect(commit.busyMs).toBe(0);
  const slow = submit("a");
  await until("the transaction", () => written.length === 1);
  clock.advance(12_000);
  expect(commit.busyMs).toBe(12_000);
  await answer();
  await slow;
  expect(commit.busyMs).toBe(0);
});

it("settles everything taken before it is closed, and takes nothing after", async () => {
  const { commit, submit, answer } = onDisk();
  const last = submit("a");
  const closed = commit.close();
  await expect(submit("b")).rejects.toThrow("closed");
  await answer();
  await Promise.all([last, closed]);
});
