import type { JSONValue } from "json-p3";
import { describe, expect, it } from "vitest";
import type { MappingPaths } from "../../../schemas/source.ts";
import { compileMapping } from "../../../src/domain/mapping/compile.ts";
import { mapMessage } from "../../../src/domain/mapping/outcome.ts";
import { compilePath, PathError } from "../../../src/domain/mapping/path.ts";
import { sizeOf, Work, WorkExceededError } from "../../../src/domain/mapping/work.ts";
import { compileExpectation } from "../../../src/sources/handshake.ts";

const nested = (depth: number, inner: JSONValue = 0): JSONValue => {
  let value = inner;
  for (let i = 0; i < depth; i++) value = [value];
  return value;
};
/** Messages of about `n` values, each of another shape. */
const SHAPES: Record<string, (n: number) => JSONValue> = {
  flat: (n) => Array.from({ length: n }, () => 0),
  "nested deep": (n) => nested(n),
  "a list of objects": (n) => Array.from({ length: n / 4 }, (_, id) => ({ id, a: [id], b: "text" })),
  "an object of members": (n) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`m${i}`, i])),
  "two equal halves": (n) => [SHAPES.flat?.(n / 2), SHAPES.flat?.(n / 2), ...Array<number>(10).fill(0)],
  "a text and numbers": (n) => ["a".repeat(4 * n), ...Array<number>(n / 2).fill(0)],
  texts: (n) => Array.from({ length: n / 8 }, () => "ab".repeat(20)),
};

/** Refused, for they would look at a part of the message again and again for its other parts. */
const REFUSED = [
  "$[?count($..*) > 0]",
  "$..*..*..*",
  "$..a..b",
  "$[?$..a]",
  "$[?count($[*]) > 3]",
  "$[?$.a[?@.b]]",
  "$[?@[?@.b == 1]]",
  "$..[?@..a]",
  "$[?@..a && @..b]",
  "$[*,*][*,*][*,*]",
  "$['a','a']",
  "$[?@['a', 'b', 'a']]",
  "$[0:2,1]",
  "$[?match(@.a, @.b)]",
  "$[?search(@.a, $.b)]",
  "$[?search(@, '[a-z]{1000}[0-9]{1000}')]",
];
const FOR_REAL_FEEDS = [
  "$.event[?@.new_state.attributes.device_class == 'signal_strength']",
  "$..rxInfo[*]",
  "$..rssi",
  "$.rx[?@.gateway == $.best].rssi",
  "$.rx[?match(@.id, 'gw-[0-9]+') && !(@.rssi < -120 || @.rssi == null)]",
  "$.rx[?search(@.id, 'roof')]",
  "$.rx[?length(@.id) > 3 && count(@.antennas[*]) >= 1]",
  "$.list[?value(@..rssi) < 0]",
  "$['rx1', 'rx2'][*]",
  "$.rx[-3:].rssi",
  "$.*.*[?@.rssi]",
];
/** Taken, and as costly as can be thought of. */
const NASTY = [
  "$..*",
  "$..[0,-1]",
  "$[0,-1][0,-1][0,-1][0,-1][0,-1][0,-1][0,-1][0,-1][0,-1][0,-1][0,-1][0,-1][0,-1][0,-1][0,-1][0,-1][0,-1]",
  "$..[?@.* || @.*.*]",
  "$..[?$ == @]",
  "$[?$[0] == $[1]]",
  "$[?@ == $]",
  "$[?length($) > 0]",
  "$[?search($[0], 'b')]",
  "$[?match($[0], '(a|aa|aaa)*b')]",
  "$[?search(@, 'a[ab]{12}$')]",
  "$[?$[0] < $[0]]",
  "$[*][?@..a]",
  "$[?count(@..*) > 0]",
  "$[::1][::-1][::1]",
];

describe("the work of a path", () => {
  it.each(REFUSED)("is refused to be unbounded: %s", (path) => {
    expect(() => compilePath(path)).toThrow(PathError);
    expect(compileMapping({ each: path, signal: "$.id", strength: "$.rssi" })).toMatchObject({ ok: false });
    expect(() => compileExpectation(path)).toThrow(PathError);
  });

  it("is refused with words that say why", () => {
    expect(() => compilePath("$..a..b")).toThrow(
      "$..a..b has more than one `..`; its work would grow faster than the message",
    );
  });

  it.each(FOR_REAL_FEEDS)("is free to do what real feeds need: %s", (path) => {
    expect(compileMapping({ each: path, signal: "$.id", strength: path })).toMatchObject({ ok: true });
  });

  it.each(NASTY)("grows no faster than the message, whatever its shape: %s", (path) => {
    const compiled = compilePath(path);
    for (const shape of Object.values(SHAPES)) {
      for (const n of [500, 2_000, 8_000]) {
        const message = shape(n);
        const work = new Work(message);
        try {
          compiled.all(message, work);
        } catch (error) {
          expect(error).toBeInstanceOf(WorkExceededError);
        }
        // A single step more may be as large as the message: an object's members counted, a text matched.
        expect(work.spent).toBeLessThan(5_000 + 16 * sizeOf(message) + 10 * n);
      }
    }
  });
});

describe("the work of a mapping", () => {
  const mapping = (paths: Partial<MappingPaths>) => {
    const compiled = compileMapping({ signal: "$.id", strength: "$.rssi", ...paths });
    if (!compiled.ok) throw new Error(compiled.message);
    return compiled.mapping;
  };

  it("ends with a rejection of its own where paths multiply, and the readings before it stand", () => {
    const readings = Array.from({ length: 4_000 }, (_, id) => ({ id, rssi: -70 }));
    const message = { readings, text: "a".repeat(20_000) };
    const each = "$.readings[?search($.text, 'b') || @.id < 5000]";
    expect(mapMessage(mapping({ each }), message, 0)).toEqual({
      kind: "rejected",
      rejections: [
        {
          reason: "too_complex",
          detail: "the mapping's paths need more steps than a message of this size may take",
        },
      ],
    });
    const at = "$.at[0,-1][0,-1][0,-1][0,-1][0,-1][0,-1][0,-1][0,-1][0,-1][0,-1][0,-1][0,-1][0,-1]";
    const outcome = mapMessage(
      mapping({ at }),
      [
        { id: "a", rssi: -1 },
        { id: "b", rssi: -2, at: nested(20) },
      ],
      0,
    );
    expect(outcome).toMatchObject({ kind: "readings", readings: [{ name: "a" }] });
    expect(outcome).toMatchObject({ rejections: [{ reason: "too_complex" }] });
  });

  it("looks through the message once, not once for each of its elements", () => {
    const readings = Array.from({ length: 20_000 }, (_, id) => ({ id, rssi: -70 }));
    const message = { readings, site: { name: "roof" } };
    const compiled = mapping({ each: "$.readings[*]", signal: "{$$..name}/{$.id}" });
    const outcome = mapMessage(compiled, message, 0);
    if (outcome.kind !== "readings") throw new Error(outcome.kind);
    expect(outcome.rejections).toEqual([]);
    expect(outcome.readings).toHaveLength(20_000);
    expect(outcome.readings.at(-1)?.name).toBe("roof/19999");
  });

  it("is bounded over labels, too, which are asked for while a message is mapped", () => {
    const compiled = mapping({ labels: { site: "$..site", kind: "$..[?@ == 'kind']" } });
    const deep = nested(1_000, { site: "roof" });
    const message = Array.from({ length: 400 }, (_, id) => ({ id, rssi: -70, deep }));
    const told = { labels: 0, readings: 0, rejected: [] as string[] };
    compiled.map(message, 0, {
      reading: (_name, _atMs, _strength, element) => {
        told.labels += Object.keys(compiled.labels(element, message)).length;
        told.readings++;
      },
      skipped: () => undefined,
      rejected: (reason) => told.rejected.push(reason),
    });
    expect(told).toEqual({ labels: 400, readings: 400, rejected: [] });
  });

  it("does not read a name that is too long, however often it stands in a template", () => {
    const text = "x".repeat(100_000);
    const message = { text, readings: Array.from({ length: 5_000 }, () => ({ rssi: -70 })) };
    const compiled = mapping({ each: "$.readings[*]", signal: "{$$.text}{$$.text}{$$.text}" });
    const outcome = mapMessage(compiled, message, 0);
    if (outcome.kind !== "rejected") throw new Error(outcome.kind);
    expect(new Set(outcome.rejections.map(({ reason }) => reason))).toEqual(new Set(["signal_name_invalid"]));
    expect(outcome.rejections).toHaveLength(5_000);
  });
});
