import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import packageFile from "../../package.json" with { type: "json" };
import { WORKERS } from "../../src/compose/service.ts";
import { VARIABLES } from "../../src/config/config.ts";
import { filesBelow, fileText, ROOT } from "../support/deploy.ts";

const units = filesBelow("deploy/systemd").map((path) => [path, fileText(path)] as const);
const valuesOf = (unit: string, name: string): string[] =>
  [...unit.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map(([, value = ""]) => value);

/** Read by the C library and by Node. */
const OF_THE_RUNTIME = new Set(["MALLOC_ARENA_MAX", "MALLOC_MMAP_THRESHOLD_", "NODE_COMPILE_CACHE"]);
/** What the command `npm start` sets for its program, and the flags that it gives it. */
const STARTED_WITH = packageFile.scripts.start
  .split(" ")
  .filter((word) => /^[A-Z_]+=/.test(word) || word.startsWith("--"));

describe.each(units)("%s", (path, unit) => {
  const [home = ""] = valuesOf(unit, "WorkingDirectory");
  const [command = ""] = valuesOf(unit, "ExecStart");

  it("starts what is there, on the Node that comes with it", () => {
    const [node = "", ...words] = command.split(" ");
    expect(node).toBe(join(home, "node_modules/.bin/node"));
    const script = words.find((word) => word.endsWith(".ts")) ?? "";
    expect(existsSync(join(ROOT, script)), script).toBe(true);
    expect(words.at(-1)).toBe(path.includes("@") ? "%i" : script);
  });

  it("sets what the program knows", () => {
    const set = valuesOf(unit, "Environment").flatMap((line) => line.split(" "));
    const names = set.map((each) => each.split("=")[0] ?? "");
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !VARIABLES.has(name) && !OF_THE_RUNTIME.has(name))).toEqual([]);
  });

  if (command.endsWith("workers/all.ts"))
    it("runs all workers as `npm start` does", () => {
      const given = [
        ...command.split(" "),
        ...valuesOf(unit, "Environment").flatMap((line) => line.split(" ")),
      ];
      expect(given).toEqual(expect.arrayContaining(STARTED_WITH));
    });

  it("leaves it time to drain, and starts it anew", () => {
    expect(Number(valuesOf(unit, "TimeoutStopSec")[0])).toBeGreaterThan(10);
    expect(valuesOf(unit, "Restart")).toEqual(["always"]);
    expect(valuesOf(unit, "User")).toEqual(["signals"]);
  });

  it("names every worker that it can be, if it can be any", () => {
    const told = [...unit.matchAll(/@(\w+)\b/g)].map(([, worker = ""]) => worker);
    expect(told.sort()).toEqual(path.includes("@") ? [...WORKERS].sort() : []);
  });
});
