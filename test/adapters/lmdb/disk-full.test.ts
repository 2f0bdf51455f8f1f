import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { z } from "zod";
import { LogUnavailableError } from "../../../src/ports/event-log.ts";
import { numbered, take, texts } from "../../conformance/event-log/reading.ts";
import { temporaryDirectory } from "../../support/directory.ts";
import { openTestLog } from "../../support/lmdb-log.ts";
import { testTelemetry } from "../../support/telemetry.ts";

const CHILD = new URL("fill-the-disk.ts", import.meta.url).pathname;
const MIB = 2 ** 20;
const Bounds = z.array(z.object({ partition: z.number(), earliest: z.number(), end: z.number() }));
const HealthLine = z.object({ state: z.string(), detail: z.string().nullable() });
const Findings = z.object({
  whenFull: z.object({
    failure: z.string(),
    health: HealthLine,
    bounds: Bounds,
    seen: z.array(z.number()),
    acknowledged: z.array(z.number()),
  }),
  afterTrim: z.object({ offset: z.number(), health: HealthLine, bounds: Bounds }),
});

it("acknowledges and shows nothing of a write that the file system refuses, and goes on once there is room", async () => {
  const directory = await temporaryDirectory();
  // 20 MB and half a page: the write that goes over the limit is taken in part, as on a disk that becomes full.
  const command = `ulimit -S -f 40001; exec "$0" "$@"`;
  const { stdout } = await promisify(execFile)("sh", ["-c", command, process.execPath, CHILD, directory]);
  const { whenFull, afterTrim } = Findings.parse(JSON.parse(stdout));
  expect(whenFull.failure).toMatch(/^LogUnavailableError: The event log cannot be written \(EIO\)/);
  expect(whenFull.health).toMatchObject({
    state: "down",
    detail: expect.stringContaining("its disk is full"),
  });
  const count = whenFull.acknowledged.length;
  expect(count).toBeGreaterThan(100);
  expect(whenFull.acknowledged).toEqual(Array.from({ length: count }, (_, i) => i));
  expect(whenFull.seen).toEqual(whenFull.acknowledged);
  expect(whenFull.bounds).toEqual([{ partition: 0, earliest: 0, end: count }]);
  expect(afterTrim.offset).toBe(count);
  expect(afterTrim.health.state).toBe("ok");
  const log = await openTestLog({ directory });
  expect(await log.bounds("readings")).toEqual(afterTrim.bounds);
  await log.close();
});

it("refuses appends while the disk is full but for its reserve, still trims and commits, and goes on when there is room", async () => {
  let freeBytes = 100 * MIB;
  const directory = await temporaryDirectory();
  const telemetry = testTelemetry();
  const log = await openTestLog({ directory, freeBytes: () => freeBytes, telemetry });
  await log.append("readings", numbered("a", 10));

  freeBytes = 20 * MIB;
  await expect(log.append("readings", numbered("b", 1))).rejects.toThrow(LogUnavailableError);
  await expect(log.append("events", numbered("b", 1))).rejects.toThrow("The disk of the event log is full");
  expect(log.health()).toMatchObject({ state: "down", detail: expect.stringContaining("free some space") });
  await log.trim("readings", 0, 4);
  expect(log.health().state).toBe("down");
  expect(await log.bounds("readings")).toEqual([{ partition: 0, earliest: 4, end: 10 }]);

  freeBytes = 0;
  await expect(log.trim("readings", 0, 6)).rejects.toThrow(LogUnavailableError);

  freeBytes = 100 * MIB;
  const [place] = await log.append("readings", numbered("c", 1));
  expect(place?.offset).toBe(10);
  expect(log.health().state).toBe("ok");
  expect(texts(await take(log, "readings", 7))).toEqual(["a4", "a5", "a6", "a7", "a8", "a9", "c0"]);
  expect((await telemetry.metrics.expose()).text).toMatch(/^log_unavailable_total 3$/m);
  await log.close();
});
