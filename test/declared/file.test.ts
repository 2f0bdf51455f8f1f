import { describe, expect, it } from "vitest";
import { readDeclared } from "../../src/declared/file.ts";
import { mistakeText } from "../../src/declared/placed-yaml.ts";

const SET: Record<string, string> = { TOKEN: "hush" };
const read = (text: string, checks = {}) => readDeclared(text, (name) => SET[name], checks);
const mistakesIn = (text: string, checks = {}): string[] => {
  const outcome = read(text, checks);
  return "mistakes" in outcome ? outcome.mistakes.map(mistakeText) : [];
};
const wantedIn = (text: string) => {
  const outcome = read(text);
  return "wanted" in outcome ? outcome.wanted : expect.fail(JSON.stringify(outcome));
};

describe("a configuration file", () => {
  it("holds what POST takes, found again by external id or name, whole and as written", () => {
    const { signals, sources, rules, webhooks } = wantedIn(`
signals: [{ name: " Roof ", externalId: roof-1, threshold: 0.4 }, { name: " Cellar ", threshold: -0 }]
sources: [{ name: push, type: push }]
rules:
webhooks: [{ name: pager, url: "https://a.example", events: [signal.failed] }]
`);
    expect(signals.map(({ key }) => key)).toEqual(["roof-1", "Cellar"]);
    expect(signals[0]?.written).toEqual({ name: " Roof ", externalId: "roof-1", threshold: 0.4 });
    expect(signals[0]?.whole).toMatchObject({ name: "Roof", noDataAfterSeconds: 300 });
    expect(Object.is(signals[1]?.whole.threshold, 0)).toBe(true);
    expect(sources[0]?.whole).toMatchObject({ mapping: { preset: "default" }, enabled: true });
    expect(rules).toEqual([]);
    expect(webhooks[0]).toMatchObject({ key: "pager", whole: { enabled: true, signing: true } });
  });

  it("is empty where nothing stands in it", () => {
    expect(wantedIn("# nothing yet\n")).toEqual({ signals: [], sources: [], rules: [], webhooks: [] });
  });

  it("calls nothing __proto__, which reading it would lose", () => {
    const file = `rules:
  - name: r
    condition: { operator: below, value: -80 }
    select:
      labels: { __proto__: x }
`;
    expect(mistakesIn(file)).toEqual(["line 5: nothing may be called __proto__"]);
  });

  it("is refused with every mistake of every kind, each by the line it stands in", () => {
    const file = `signals:
  - name: a
    threshold: 7
  - name: b
    threshold: 0.1
    labels:
      1x: no
    treshold: 0.1
sources:
  - { name: s, type: carrier-pigeon }
  - name: s
    type: websocket
    url: wss://a.example/?token=\${TOKEN}
    mapping:
      signal: $.a
      strengt: $.b
rules:
  - name: r
    condition: { operator: below, value: -70 }
  - name: r
    condition: { operator: above, value: -70 }
webhooks:
  - url: https://a.example
    events: [signal.failed]
hooks: []
`;
    expect(mistakesIn(file)).toEqual([
      expect.stringMatching(/^line 3: signals\.0\.threshold: /),
      expect.stringMatching(/^line 7: signals\.1\.labels\.1x: /),
      "line 8: signals.1.treshold: is not a known field",
      expect.stringMatching(/^line 10: sources\.0\.type: /),
      expect.stringMatching(/^line 14: sources\.1\.mapping\.strength: /),
      "line 16: sources.1.mapping.strengt: is not a known field",
      "line 20: rules.1: r is there twice",
      "line 23: webhooks.0.name: is needed: a webhook is found again by its name",
      "line 25: hooks: is not a known field",
    ]);
  });

  it("is checked by whoever reads it for what the schemas cannot say", () => {
    const file = "sources:\n  - name: s\n    type: push\n    mapping: { preset: default }\n";
    const source = () => [{ path: ["mapping", "preset"], message: "is out of fashion" }];
    expect(mistakesIn(file, { source })).toEqual(["line 4: sources.0.mapping.preset: is out of fashion"]);
  });

  it("is refused where the groups of a webhook and its events do not go together", () => {
    const file = `webhooks:
  - name: pager
    url: https://a.example
    events: [signal.created]
    groups: { waitSeconds: 20 }
`;
    expect(mistakesIn(file)).toEqual([
      expect.stringMatching(/^line 5: webhooks\.0\.groups: needs signal\.failed/),
    ]);
    expect(mistakesIn(file.replace("created", "failed"))).toEqual([]);
  });

  it("takes secrets from the environment, and names those that are not set, and nothing else of their fields", () => {
    const file = (name: string) => `sources:
  - name: s
    type: websocket
    headers: { "X.Key": "\${TOKEN}" }
    url: "\${${name}}"
`;
    expect(mistakesIn(file("URL"))).toEqual([
      `line 5: sources.0.url: names \${URL}, which is not set: set URL in the environment`,
    ]);
    SET.URL = "wss://a.example";
    expect(wantedIn(file("URL")).sources[0]?.written).toMatchObject({
      url: "wss://a.example",
      headers: { "X.Key": "hush" },
    });
  });

  it("is followed through its aliases, and refused where they lead nowhere or grow beyond measure", () => {
    const alias = `signals:
  - &a { name: a, threshold: 0.4, labels: &l { site: north } }
  - { name: b, threshold: 0.4, labels: *l }
`;
    expect(wantedIn(alias).signals[1]?.whole).toMatchObject({ labels: { site: "north" } });
    expect(mistakesIn(alias.replace("site", "2site"))).toEqual([
      expect.stringMatching(/^line 2: signals\.0\.labels\.2site/),
      expect.stringMatching(/^line 2: signals\.1\.labels\.2site/),
    ]);
    expect(mistakesIn("signals:\n  - *a\n")).toEqual(["line 2: nothing above is called &a"]);
    const laughs = ["a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"];
    for (const [from, to] of ["ab", "bc", "cd", "de"])
      laughs.push(`${to}: &${to} [${Array(10).fill(`*${from}`).join(", ")}]`);
    expect(mistakesIn(laughs.join("\n"))).toEqual([expect.stringMatching(/aliases cannot be followed/)]);
    expect(mistakesIn("signals: &a\n  - *a\n")).not.toEqual([]);
  });

  it("is refused where it is no YAML, with the line", () => {
    expect(mistakesIn("signals:\n  - name: [a\n")).toEqual([expect.stringMatching(/^line 3: /)]);
    expect(mistakesIn("signals: []\nsignals: []\n")).toEqual([expect.stringMatching(/^line 2: /)]);
    expect(mistakesIn("just words")).toHaveLength(1);
  });
});
