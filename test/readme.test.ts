import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { SourceCreate } from "../schemas/source.ts";
import { readDeclaredFile } from "../src/config/declared.ts";
import { ATTEMPT_FAILURES } from "../src/domain/webhooks/outcome.ts";
import { checkSource } from "../src/serve/source-check.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
/** What the shell hands over: `\$` where the here-document is not quoted. */
const documents = [...readme.matchAll(/<<('?)JSON\1\n(.*?)\nJSON\n/gs)].map(([, , text = ""]) =>
  text.replaceAll("\\$", "$"),
);

describe("the README", () => {
  test("has an example of every kind of source, each one that the service takes", () => {
    const types = documents.map((text) => {
      const source = SourceCreate.parse(JSON.parse(text));
      checkSource(source);
      return source.type;
    });
    expect(new Set(types)).toEqual(new Set(["websocket", "http-poll", "http-stream", "push", "simulator"]));
  });

  test("tells of the failures of webhooks by the names that they have", () => {
    const [, table = ""] = /### When it does not arrive\n(.*?)\n4\. /s.exec(readme) ?? [];
    const cells = [...table.matchAll(/^ +\| (`.*`) \|/gm)].flatMap(
      ([, cell = ""]) => cell.match(/\w+/g) ?? [],
    );
    expect(cells.length).toBeGreaterThan(4);
    expect(cells.filter((name) => !(name in ATTEMPT_FAILURES))).toEqual([]);
  });

  test("has a configuration file that a start takes", () => {
    const [, file = ""] = /```yaml\n(signals:\n.*?)```/s.exec(readme) ?? [];
    const set = { CONFIG_FILE: "signals.yaml", GATEWAY_TOKEN: "hush" };
    const { declared, mistakes } = readDeclaredFile(set, () => file);
    expect(mistakes).toEqual([]);
    const keys = Object.values(declared?.wanted ?? {}).map((items) => items.map(({ key }) => key));
    expect(keys).toEqual([["roof-1"], ["gateway"], ["weak"], ["pager"]]);
  });
});
