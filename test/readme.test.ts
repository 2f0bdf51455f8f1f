import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { RuleCreate } from "../schemas/rule.ts";
import { newSilenceProblems, SilenceCreate } from "../schemas/silence.ts";
import { SourceCreate } from "../schemas/source.ts";
import { readDeclaredFile } from "../src/config/declared.ts";
import { ATTEMPT_FAILURES } from "../src/domain/webhooks/outcome.ts";
import { checkSource } from "../src/serve/source-check.ts";

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
/** What the shell hands over: `\$` where the here-document is not quoted. */
const documents = [...readme.matchAll(/<<('?)JSON\1\n(.*?)\nJSON\n/gs)].map(([, , text = ""]) =>
  text.replaceAll("\\$", "$"),
);

/** What the shell makes of `'…'$(node -p '…')'…'`, now. */
const expanded = (text: string) =>
  text.replaceAll(/'\$\(node -p '(.*?)'\)'/g, (_, code: string) =>
    execFileSync(process.execPath, ["-p", code], { encoding: "utf8" }).trim(),
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

  test("has rules and silences that the service takes, and every setting of a rule in its table", () => {
    const posted = (path: string) =>
      [...readme.matchAll(/api (\S+) -d '(\{.*?\})'$/gms)].flatMap(([, to, body = ""]) =>
        to === path ? [JSON.parse(expanded(body))] : [],
      );
    const rules = posted("/alerts/rules").map((body) => RuleCreate.parse(body));
    expect(rules.map(({ name }) => name)).toEqual(["fading"]);
    const silences = posted("/alerts/silences").map((body) => SilenceCreate.parse(body));
    const now = Date.now();
    const from = new Date(now).toISOString();
    expect(silences.flatMap((times) => newSilenceProblems({ ...times, from }, now))).toEqual([]);
    expect(silences.map(({ untilResolved, schedule }) => [untilResolved, schedule !== null])).toEqual([
      [true, false],
      [false, false],
      [false, true],
    ]);
    const [, table = ""] = /### What a rule looks at, and when\n(.*?)\nWaits/s.exec(readme) ?? [];
    const settings = [...table.matchAll(/`("\w+": .*?)`/g)].map(([, text = ""]) => JSON.parse(`{${text}}`));
    expect(settings).toHaveLength(11);
    for (const setting of settings) {
      if (setting.notify !== undefined) continue;
      RuleCreate.parse({ name: "one", condition: { operator: "below", value: -75 }, ...setting });
    }
  });
});
