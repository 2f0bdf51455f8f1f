import { expect, test } from "vitest";
import { faultsOf, type LogFile } from "../../../src/adapters/chdb/deduplication-log.ts";
import { parsePartName, presenceIn } from "../../../src/adapters/chdb/part-name.ts";

const add = (part: string, blockId: string) => `1\t${part}\t${blockId}\n`;
const drop = (part: string, blockId: string) => `2\t${part}\t${blockId}\n`;
const log = (number: number, ...lines: readonly string[]): LogFile => ({
  name: `deduplication_log_${number}.txt`,
  text: lines.join(""),
});
const phantomsOf = (files: readonly LogFile[], directories: readonly string[]) =>
  faultsOf(files, presenceIn(directories))?.phantoms.map(({ blockId }) => blockId);

test("a line whose part is there is no phantom, one whose part is missing is", () => {
  const files = [log(1, add("200801_1_1_0", "a"), add("200802_2_2_0", "b"))];
  expect(phantomsOf(files, ["200801_1_1_0"])).toEqual(["b"]);
  expect(phantomsOf(files, ["200801_1_1_0", "200802_2_2_0"])).toEqual([]);
});

test.each([
  ["merged into a wider part", "200801_1_9_2"],
  ["merged at the edge of a part", "200801_4_7_1"],
  ["merged alone", "200801_4_4_1"],
  ["mutated", "200801_4_4_0_12"],
])("a part %s is there", (_, directory) => {
  expect(phantomsOf([log(1, add("200801_4_4_0", "a"))], [directory])).toEqual([]);
});

test.each([
  ["the same blocks of another partition", "200802_4_4_0"],
  ["a range of other blocks", "200801_5_9_1"],
  ["what an insert did not finish", "tmp_insert_200801_4_4_0"],
  ["what a merge did not finish", "tmp_merge_200801_1_9_1"],
  ["a part put aside", "broken-on-start_200801_4_4_0"],
  ["the directory for parts put aside", "detached"],
])("%s is not the part", (_, directory) => {
  expect(phantomsOf([log(1, add("200801_4_4_0", "a"))], [directory])).toEqual(["a"]);
});

test("a block that the engine dropped is no phantom, and one inserted again counts by its new part", () => {
  expect(phantomsOf([log(1, add("2008_1_1_0", "a"), drop("2008_1_1_0", "a"))], [])).toEqual([]);
  const again = [log(1, add("2008_1_1_0", "a"), drop("2008_1_1_0", "a"), add("2008_2_2_0", "a"))];
  expect(phantomsOf(again, ["2008_2_2_0"])).toEqual([]);
  expect(phantomsOf(again, [])).toEqual(["a"]);
});

test("files are read by number, however they are listed: the tenth after the ninth", () => {
  const files = [log(10, drop("2008_1_1_0", "a")), log(9, add("2008_1_1_0", "a"))];
  expect(faultsOf(files, () => false)).toEqual({
    phantoms: [],
    torn: [],
    newest: "deduplication_log_10.txt",
  });
});

test("a last line without its end is cut and does not count, in whatever file it is", () => {
  const whole = add("2008_1_1_0", "a");
  const files = [log(1, whole, "1\t2008_2_2"), log(2, whole, "\0\0\0")];
  expect(faultsOf(files, () => true)?.torn).toMatchObject([
    { name: "deduplication_log_1.txt", wholeLength: whole.length },
    { name: "deduplication_log_2.txt", wholeLength: whole.length },
  ]);
  expect(phantomsOf([log(1, whole, add("2008_2_2_0", "b").slice(0, -1))], ["2008_1_1_0"])).toEqual([]);
});

test.each([
  ["a line of another operation", [log(1, "3\t2008_1_1_0\ta\n")]],
  ["a line with more columns", [log(1, "1\t2008_1_1_0\ta\tb\n")]],
  ["a part named otherwise", [log(1, add("2008-1-1-0", "a"))]],
  ["an empty line", [log(1, "\n")]],
  ["a line torn in the middle of a file", [log(1, "1\t2008_11\t2008_2_2_0\tb\n")]],
  ["a file named otherwise", [log(1), { name: "deduplication_log_1.bin", text: "" }]],
])("%s is not judged", (_, files) => {
  expect(faultsOf(files, () => true)).toBeNull();
});

test("no files and empty ones are without faults", () => {
  expect(faultsOf([], () => false)).toEqual({ phantoms: [], torn: [], newest: null });
  expect(faultsOf([log(1)], () => false)).toEqual({
    phantoms: [],
    torn: [],
    newest: "deduplication_log_1.txt",
  });
});

test("part names are read as the engine writes them", () => {
  expect(parsePartName("200801_3_17_2_40")).toEqual({ partition: "200801", first: 3, last: 17 });
  expect(parsePartName("all_0_0_0")).toEqual({ partition: "all", first: 0, last: 0 });
  for (const name of ["format_version.txt", "200801_1_1", "delete_tmp_200801_1_1_0", "200801_-1_1_0"])
    expect(parsePartName(name)).toBeNull();
});
