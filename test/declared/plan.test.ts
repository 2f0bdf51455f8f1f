import { describe, expect, it } from "vitest";
import { readDeclared } from "../../src/declared/file.ts";
import { type Item, OPEN_VIEW, type Present, planned } from "../../src/declared/plan.ts";

const NOTHING: Present = { signals: [], sources: [], rules: [], webhooks: [] };
const plan = (text: string, present: Partial<Present>, prune = false) => {
  const read = readDeclared(text, () => undefined);
  if ("mistakes" in read) return expect.fail(JSON.stringify(read.mistakes));
  return planned(read.wanted, { ...NOTHING, ...present }, { prune, view: OPEN_VIEW });
};
const signal = (id: string, name: string, externalId: string | null): Item => ({
  id,
  name,
  externalId,
  threshold: 0.4,
});

describe("a plan", () => {
  it("counts the secrets that it cannot see where it changes nothing, and leaves none out that are sent", () => {
    const text = "sources: [{ name: s, type: push, enabled: true }, { name: t, type: push }]";
    const read = readDeclared(text, () => undefined);
    if ("mistakes" in read) return expect.fail(JSON.stringify(read.mistakes));
    const hiddenIn = (_kind: string, field: string) => (field === "name" ? 2 : field === "enabled" ? 1 : 0);
    const sources = [{ id: "src_1", name: "s", type: "push", enabled: false }];
    const planWith = (resends: boolean) =>
      planned(
        read.wanted,
        { ...NOTHING, sources },
        { prune: false, view: { ...OPEN_VIEW, hiddenIn, resends } },
      );
    const fieldsOf = ({ changes }: ReturnType<typeof planWith>) =>
      changes.flatMap((change) =>
        change.action === "update" ? change.fields.map(({ field }) => field) : [],
      );
    expect([planWith(false).uncompared, fieldsOf(planWith(false))]).toEqual([2, ["enabled"]]);
    expect([planWith(true).uncompared, fieldsOf(planWith(true))]).toEqual([0, ["name", "enabled"]]);
  });

  it("makes in an order in which what is referred to comes first", () => {
    const { changes, refusals } = plan(
      `
webhooks: [{ name: w, url: "https://a.example", events: [signal.failed] }]
rules: [{ name: r, condition: { operator: below, value: -70 } }]
sources: [{ name: s, type: push }]
signals: [{ name: a, threshold: 0.4 }]
`,
      {},
    );
    expect(changes.map(({ action, kind, key }) => `${action} ${kind} ${key}`)).toEqual([
      "create signals a",
      "create sources s",
      "create rules r",
      "create webhooks w",
    ]);
    expect(refusals).toEqual([]);
  });

  it("changes the fields that differ and no other, and nothing where none does", () => {
    const rule = { id: "rul_1", name: "r", forSeconds: 5, condition: { operator: "below", value: -70 } };
    const whole = { ...rule, condition: { ...rule.condition, metric: "strength" }, enabled: false };
    const file = (value: number) => `rules: [{ name: r, condition: { operator: below, value: ${value} } }]`;
    expect(plan(file(-70), { rules: [whole] })).toEqual({ changes: [], refusals: [], uncompared: 0 });
    const { changes } = plan(file(-80), { rules: [whole] });
    expect(changes).toEqual([
      {
        action: "update",
        kind: "rules",
        key: "r",
        id: "rul_1",
        fields: [
          {
            field: "condition",
            from: whole.condition,
            to: { metric: "strength", operator: "below", value: -80 },
          },
        ],
        body: { condition: { operator: "below", value: -80 } },
      },
    ]);
  });

  it("finds a signal by its external id, else by its name, and prefers one that has no other name", () => {
    const found = (text: string, signals: Item[]) =>
      plan(`signals: [${text}]`, { signals }).changes.map((change) => ("id" in change ? change.id : "new"));
    const byName = "{ name: a, threshold: 0.5 }";
    const byId = "{ name: x, externalId: a, threshold: 0.5 }";
    const [own, ofSource] = [signal("own", "a", null), signal("ofSource", "a", "a")];
    expect(found(byName, [ofSource])).toEqual(["ofSource"]);
    expect(found(byName, [ofSource, own])).toEqual(["own"]);
    expect(found(byName, [signal("other", "a", "b")])).toEqual(["new"]);
    expect(found(byId, [own])).toEqual(["new"]);
    expect(found(byId, [own, ofSource])).toEqual(["ofSource"]);
  });

  it("refuses what cannot be, and goes on with the rest", () => {
    const file = `
sources: [{ name: s, type: push }, { name: t, type: push }]
rules: [{ name: r, condition: { operator: below, value: -70 } }]
`;
    const rule = { name: "r" };
    const { changes, refusals } = plan(file, {
      sources: [{ id: "src_1", name: "s", type: "simulator" }],
      rules: [
        { ...rule, id: "rul_1" },
        { ...rule, id: "rul_2" },
      ],
    });
    expect(changes.map(({ key }) => key)).toEqual(["t"]);
    expect(refusals).toMatchObject([
      { kind: "sources", key: "s", message: expect.stringMatching(/of type simulator.*cannot become push/) },
      { kind: "rules", key: "r", message: expect.stringMatching(/rul_1, rul_2 are all called so/) },
    ]);
  });

  it("deletes what the file does not name only when asked to, and signals never", () => {
    const present = {
      signals: [signal("sig_1", "a", null)],
      sources: [{ id: "src_1", name: "s", type: "push" }],
      webhooks: [
        { id: "whk_1", name: null, url: "https://a.example" },
        { id: "whk_2", name: "w", url: "https://b.example" },
      ],
    };
    expect(plan("rules: []", present).changes).toEqual([]);
    expect(plan("rules: []", present, true).changes).toMatchObject([
      { action: "delete", kind: "webhooks", key: "https://a.example", id: "whk_1" },
      { action: "delete", kind: "webhooks", key: "w", id: "whk_2" },
      { action: "delete", kind: "sources", key: "s", id: "src_1" },
    ]);
  });
});
