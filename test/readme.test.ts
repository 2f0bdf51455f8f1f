import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { RuleCreate } from "../schemas/rule.ts";
import { SignalDefaults } from "../schemas/signal.ts";
import { newSilenceProblems, SilenceCreate } from "../schemas/silence.ts";
import { SourceCreate } from "../schemas/source.ts";
import { readDeclaredFile } from "../src/config/declared.ts";
import { ATTEMPT_FAILURES } from "../src/domain/webhooks/outcome.ts";
import { checkSource } from "../src/serve/source-check.ts";
import { fileText } from "./support/deploy.ts";

const readme = fileText("README.md");
const sources = fileText("src/sources/README.md");
const alerts = fileText("src/evaluate/README.md");
const webhooks = fileText("src/deliver/README.md");
const declaredFile = fileText("src/declared/README.md");

/** What the shell hands over: `\$` where the here-document is not quoted. */
const documentsIn = (text: string) =>
  [...text.matchAll(/<<('?)JSON\1\n(.*?)\nJSON\n/gs)].map(([, , json = ""]) => json.replaceAll("\\$", "$"));

/** What the shell makes of `'…'$(node -p '…')'…'`, now. */
const expanded = (text: string) =>
  text.replaceAll(/'\$\(node -p '(.*?)'\)'/g, (_, code: string) =>
    execFileSync(process.execPath, ["-p", code], { encoding: "utf8" }).trim(),
  );

/** What `api path -d '…'` sends, wherever it stands in a text. */
const posted = (text: string, path: string): unknown[] =>
  [...text.matchAll(/api (\S+) -d '(\{.*?\})'(?: \| jq [^\n]*)?$/gms)].flatMap(([, to, body = ""]) =>
    to === path ? [JSON.parse(expanded(body))] : [],
  );

const typesOf = (bodies: readonly unknown[]) =>
  bodies.map((body) => {
    const source = SourceCreate.parse(body);
    checkSource(source);
    return source.type;
  });

describe("what is written to be copied", () => {
  test("the first sources are such as the service takes", () => {
    expect(typesOf(posted(readme, "/integrations/sources"))).toEqual(["websocket", "push"]);
    expect(typesOf(documentsIn(readme).map((text) => JSON.parse(text)))).toEqual(["websocket"]);
  });

  test("there is an example of every kind of source, each one that the service takes", () => {
    const types = typesOf(documentsIn(sources).map((text) => JSON.parse(text)));
    expect(new Set(types)).toEqual(new Set(["websocket", "http-poll", "http-stream", "push", "simulator"]));
  });

  test("what is said of a source's defaults is so", () => {
    const [, text = ""] = /`("defaults": \{.*?\})`/.exec(sources) ?? [];
    SourceCreate.parse({ type: "push", name: "one", ...JSON.parse(`{${text}}`) });
    const { threshold, noDataAfterSeconds, floorDbm, ceilingDbm } = SignalDefaults.parse({});
    const failsBelow = floorDbm + threshold * (ceilingDbm - floorDbm);
    const minus = String(failsBelow).replace("-", "−");
    expect(readme).toContain(
      `a threshold of ${threshold} (they fail below ${minus} dBm) and silence after ${noDataAfterSeconds} s`,
    );
    expect(sources).toContain(
      `a \`threshold\` of ${threshold} (fails below ${minus} dBm) and silence after ${noDataAfterSeconds} s`,
    );
  });

  test("the failures of webhooks are told by the names that they have", () => {
    const [, table = ""] = /## When it does not arrive\n(.*?)\n4\. /s.exec(webhooks) ?? [];
    const cells = [...table.matchAll(/^ +\| (`.*`) \|/gm)].flatMap(
      ([, cell = ""]) => cell.match(/\w+/g) ?? [],
    );
    expect(cells.length).toBeGreaterThan(4);
    expect(cells.filter((name) => !(name in ATTEMPT_FAILURES))).toEqual([]);
  });

  test("the configuration file is one that a start takes", () => {
    const [, file = ""] = /```yaml\n(signals:\n.*?)```/s.exec(declaredFile) ?? [];
    const set = { CONFIG_FILE: "signals.yaml", GATEWAY_TOKEN: "hush" };
    const { declared, mistakes } = readDeclaredFile(set, () => file);
    expect(mistakes).toEqual([]);
    const keys = Object.values(declared?.wanted ?? {}).map((items) => items.map(({ key }) => key));
    expect(keys).toEqual([["roof-1"], ["gateway"], ["weak"], ["pager"]]);
  });

  test("rules and silences are such as the service takes, and every setting of a rule in its table is", () => {
    const rules = posted(readme, "/alerts/rules").map((body) => RuleCreate.parse(body));
    expect(rules.map(({ name }) => name)).toEqual(["weak", "fading"]);
    const silences = posted(alerts, "/alerts/silences").map((body) => SilenceCreate.parse(body));
    const now = Date.now();
    const from = new Date(now).toISOString();
    expect(silences.flatMap((times) => newSilenceProblems({ ...times, from }, now))).toEqual([]);
    expect(silences.map(({ untilResolved, schedule }) => [untilResolved, schedule !== null])).toEqual([
      [true, false],
      [false, false],
      [false, true],
    ]);
    const [, table = ""] = /## What a rule looks at, and when\n(.*?)\nWaits/s.exec(alerts) ?? [];
    const settings = [...table.matchAll(/`("\w+": .*?)`/g)].map(([, text = ""]) => JSON.parse(`{${text}}`));
    expect(settings).toHaveLength(11);
    for (const setting of settings) {
      if (setting.notify !== undefined) continue;
      RuleCreate.parse({ name: "one", condition: { operator: "below", value: -75 }, ...setting });
    }
  });
});
