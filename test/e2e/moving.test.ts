import { cp, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openChdb } from "../support/chdb.ts";
import { temporaryDirectory } from "../support/directory.ts";
import {
  AFTER,
  BEFORE,
  directoryOf,
  goOn,
  type Home,
  moveAgainAndAgain,
  newHome,
  settle,
  startIn,
} from "../support/house.ts";
import { linesOf } from "../support/installation.ts";
import { LineServer } from "../support/line-server.ts";
import { type Moved, move } from "../support/moving.ts";
import { newApiKey } from "../support/service-process.ts";

const takeKeyAlong = async (from: Home, to: Home): Promise<void> => {
  await mkdir(directoryOf(to), { recursive: true });
  await cp(join(directoryOf(from), "secret.key"), join(directoryOf(to), "secret.key"));
};

const storedIn = async (home: Home): Promise<Record<string, string>> => {
  const { timeSeries } = await openChdb(join(directoryOf(home), "time-series"));
  try {
    return await linesOf(timeSeries);
  } finally {
    await timeSeries.close();
  }
};

const newArchive = async (): Promise<string> => join(await temporaryDirectory(), "archive");

describe("moving house", () => {
  it("carries everything to another partition count, both commands killed on their way", async () => {
    const [from, to] = [await newHome(), await newHome({ PARTITIONS: "3" })];
    const archive = await newArchive();
    const server = await LineServer.start([...BEFORE, ...AFTER]);
    const settled = await settle(from, server, "SIGKILL");
    await moveAgainAndAgain("export", archive, from, [/event log .*/, /minutes .*/]);
    await takeKeyAlong(from, to);
    const kills = [/control data .*/, /readings .*/, /hours .*/, /state .*/];
    await moveAgainAndAgain("import", archive, to, kills);
    expect(await storedIn(to)).toEqual(await storedIn(from));
    await goOn(to, server, settled);
  });

  it("refuses, with words, what would end in two halves or in another's house", async () => {
    const [from, archive] = [await newHome(), await newArchive()];
    const refused = async (moved: Promise<Moved>, words: RegExp) => {
      const { code, stderr } = await moved;
      expect(stderr).toMatch(words);
      expect(code).toBe(1);
    };
    await refused(move("export", archive, from), /no data to export/);
    const { service } = await startIn(from, newApiKey(), { DEMO: "false" });
    await refused(move("export", archive, from), /in use by another running process/);
    await service.end("SIGTERM");
    const elsewhere = await newArchive();
    await rename(join(directoryOf(from), "log"), elsewhere);
    await refused(move("export", archive, from), /event log is not the one/);
    await rm(join(directoryOf(from), "log"), { recursive: true });
    await rename(elsewhere, join(directoryOf(from), "log"));
    await move("export", archive, from, /readings .*/);
    const to = await newHome();
    await refused(move("import", archive, to), /is not finished/);
    await refused(move("export", directoryOf(from), from), /is not empty/);
    await moveAgainAndAgain("export", archive, from, []);
    await refused(move("export", archive, from), /holds an archive that is finished/);
    await refused(move("import", archive, to), /sealed under the SECRET_KEY .*, and none is set here/);
    const otherKey = { ...to, SECRET_KEY: Buffer.alloc(32, 7).toString("base64") };
    await refused(move("import", archive, otherKey), /not under the one that is set here/);
    await takeKeyAlong(from, to);
    await refused(move("import", archive, from), /data of another installation .* in: control data/);

    const damaged = await newArchive();
    await cp(archive, damaged, { recursive: true });
    const file = join(damaged, "control", "account.ndjson.zst");
    const bytes = await readFile(file);
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    await writeFile(file, bytes);
    await refused(move("import", damaged, to), /account\.ndjson\.zst is damaged/);
    const newer = join(damaged, "manifest.json");
    await writeFile(newer, (await readFile(newer, "utf8")).replace('"format": 1', '"format": 2'));
    await refused(move("import", damaged, to), /of format 2; this program reads up to 1/);

    await move("import", archive, to, /control data .*/);
    await refused(
      startIn(to, "").then(() => ({ code: 0, stdout: "", stderr: "" }), failed),
      /is not finished/,
    );
    await moveAgainAndAgain("import", archive, to, []);
    const again = await move("import", archive, to);
    expect(again.stdout).toContain("imported here before");
  });
});

/** What a service that does not start has printed. */
const failed = (error: unknown): Moved => ({ code: 1, stdout: "", stderr: String(error) });
