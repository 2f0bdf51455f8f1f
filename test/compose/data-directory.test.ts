import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openDataDirectory } from "../../src/compose/data-directory.ts";
import { StartError } from "../../src/compose/start-error.ts";
import { temporaryDirectory } from "../support/directory.ts";

const module = new URL("../../src/compose/data-directory.ts", import.meta.url).href;

const holder = async (path: string) => {
  const code = `const { openDataDirectory } = await import(${JSON.stringify(module)});
    await openDataDirectory(${JSON.stringify(path)});
    console.log("held");
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return child;
};

it("refuses a second process on one data directory, and takes it over at once after a kill -9", async () => {
  const path = join(await temporaryDirectory(), "data");
  const child = await holder(path);
  await expect(openDataDirectory(path)).rejects.toThrow(/in use by another running process/);
  child.kill("SIGKILL");
  await once(child, "exit");
  const directory = await openDataDirectory(path);
  directory.release();
});

it("says what to do when the directory cannot be made", async () => {
  const file = join(await temporaryDirectory(), "file");
  await writeFile(file, "");
  await expect(openDataDirectory(file)).rejects.toThrow(StartError);
  await expect(openDataDirectory(file)).rejects.toThrow(/cannot be used: .*DATA_DIR=/s);
});
