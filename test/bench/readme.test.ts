import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Measured } from "../../bench/bench.ts";
import { folded, keptResults } from "../../bench/results.ts";
import { shownFiles, withMeasured } from "../../bench/shown.ts";
import { readmeOf } from "../../bench/tables.ts";

const run = (perSecond: number, detail?: unknown): Measured => ({
  name: "one case",
  figures: { "readings/s": perSecond },
  ...(detail === undefined ? {} : { detail }),
});

test.for(shownFiles(keptResults()))(
  "figures in %s are those of the results: `npm run bench -- --tables` puts them there anew",
  ([file, text]) => {
    expect(readFileSync(file, "utf8")).toBe(text);
  },
);

test("a document shows what it asks for, and names nothing that is not measured", () => {
  const shown = withMeasured("It takes <!-- measured: cores -->2<!-- /measured --> here.", keptResults());
  expect(shown).toMatch(/^It takes <!-- measured: cores -->[\d.]+ of a core, .* here\.$/);
  const wrong = "<!-- measured: luck --><!-- /measured -->";
  expect(() => withMeasured(wrong, keptResults())).toThrow("nothing that is measured is called luck");
});

test("a figure that is shown and was not measured is named", () => {
  const text = "<!-- measured: cores --><!-- /measured -->";
  const others = keptResults().filter(({ bench }) => bench !== "latency");
  expect(() => withMeasured(text, others)).toThrow("bench/results/latency.json has no");
});

test("runs of a case are kept as their least, median and greatest, with what each told beside", () => {
  expect(folded([run(30, "a"), run(10, "b"), run(20, "c")])).toEqual([
    {
      name: "one case",
      figures: { "readings/s": { min: 10, median: 20, max: 30 } },
      details: ["a", "b", "c"],
    },
  ]);
});

test("a figure that a run could not have is left out: the others would be taken for all", () => {
  const costing = (cost: number): Measured => ({ name: "one case", figures: { cost, ms: cost * 2 } });
  const others = [costing(2), costing(1)];
  const [kept] = folded([
    { name: "one case", figures: { cost: Number.POSITIVE_INFINITY, ms: 6 } },
    ...others,
  ]);
  expect(kept?.figures).toEqual({ ms: { min: 2, median: 4, max: 6 } });
});

test("a table shows the median of each figure, and how far apart its runs were", () => {
  const kept = {
    bench: "made-up",
    about: "What it is.",
    at: "2026-01-02T03:04:05.000Z",
    machine: { cpu: "a processor", cores: 2, memoryGib: 4, loadAverage: 0.1, commit: "abc1234" },
    versions: { node: "v24.0.0" },
    parameters: { signals: 1_000 },
    runs: 3,
    cases: folded([run(1_000), run(2_000), run(4_000)]),
  };
  const section = readmeOf([kept]).split("## made-up\n")[1];
  expect(section).toContain("3 runs at commit abc1234, 2026-01-02 03:04 UTC");
  expect(section).toContain("|  | one case |\n| --- | ---: |\n| readings/s | 2,000 (1,000–4,000) |");
});
