import { existsSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Mapping } from "../../../schemas/source.ts";
import { compileMapping } from "../../../src/domain/mapping/compile.ts";
import { mapMessage } from "../../../src/domain/mapping/outcome.ts";
import type { CompiledMapping } from "../../../src/domain/mapping/visitor.ts";

const ARRIVAL = Date.UTC(2026, 0, 1);
const compiled = (mapping: Mapping): CompiledMapping => {
  const outcome = compileMapping(mapping);
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.mapping;
};
const map = (mapping: Mapping, message: unknown) =>
  mapMessage(compiled(mapping), JSON.parse(JSON.stringify(message)), ARRIVAL);
const one = (name: string, strength: number, atMs = ARRIVAL) => ({
  kind: "readings",
  readings: [{ name, strength, atMs }],
  rejections: [],
});
const rejected = (reason: string) => ({
  kind: "rejected",
  rejections: [expect.objectContaining({ reason })],
});

describe("the default preset", () => {
  const preset: Mapping = { preset: "default" };

  it("knows each of its names", () => {
    for (const name of ["signalId", "externalId", "signal", "id", "deviceId"]) {
      expect(map(preset, { [name]: "a", rssi: -70 })).toEqual(one("a", -70));
    }
    for (const name of ["strength", "rssi", "dbm"]) {
      expect(map(preset, { id: "a", [name]: "-70.5" })).toEqual(one("a", -70.5));
    }
    for (const name of ["at", "ts", "time", "timestamp"]) {
      expect(map(preset, { id: 7, dbm: 0, [name]: 1_700_000_000 })).toEqual(one("7", 0, 1_700_000_000_000));
    }
  });

  it("takes the elements of an array, and rejects one without losing its neighbours", () => {
    const outcome = map(preset, [{ id: "a", rssi: -1 }, { id: "b" }, 7, { id: "c", rssi: -3 }]);
    expect(outcome).toMatchObject({
      kind: "readings",
      readings: [{ name: "a" }, { name: "c" }],
      rejections: [{ reason: "no_strength" }, { reason: "no_signal" }],
    });
  });

  it("skips an object of another kind, and what has no readings", () => {
    for (const message of [{ type: "hello" }, {}, [], [{ type: "hello" }], { at: 1 }]) {
      expect(map(preset, message)).toEqual({ kind: "skipped" });
    }
  });

  it("rejects what should be a reading, and says why", () => {
    expect(map(preset, { id: "a" })).toEqual(rejected("no_strength"));
    expect(map(preset, { id: "a", rssi: null })).toEqual(rejected("no_strength"));
    expect(map(preset, { rssi: -70 })).toEqual(rejected("no_signal"));
    expect(map(preset, { id: {}, rssi: -70 })).toEqual(rejected("signal_name_invalid"));
    expect(map(preset, { id: 2 ** 60, rssi: -70 })).toEqual(rejected("signal_name_invalid"));
    expect(map(preset, { id: "a", rssi: "loud" })).toEqual(rejected("strength_not_a_number"));
    expect(map(preset, { id: "a", rssi: [-70] })).toEqual(rejected("strength_not_a_number"));
    expect(map(preset, { id: "a", rssi: -70, at: "soon" })).toEqual(rejected("bad_time"));
    for (const message of [7, "text", true, null])
      expect(map(preset, message)).toEqual(rejected("no_signal"));
  });

  it("takes nothing that an object or an array only inherits", () => {
    const message = JSON.parse('{"__proto__":{"id":"evil","rssi":-1},"type":"hello"}');
    expect(mapMessage(compiled(preset), message, ARRIVAL)).toEqual({ kind: "skipped" });
    expect(map(preset, [[1, 2]])).toEqual(rejected("no_signal"));
  });
});

describe("a mapping by paths", () => {
  it("tells the element from the message, and fills a template", () => {
    const mapping: Mapping = {
      each: "$.gateways[*]",
      signal: "eu/{$$.device['the}id']}/{$.gw}",
      strength: "$.power",
      at: "$$.when",
    };
    const message = {
      device: { "the}id": "d1" },
      when: "2026-01-01T01:00:00+01:00",
      gateways: [{ gw: 1, power: "-80" }, { gw: 2 }],
    };
    expect(map(mapping, message)).toEqual({
      kind: "readings",
      readings: [{ name: "eu/d1/1", strength: -80, atMs: ARRIVAL }],
      rejections: [expect.objectContaining({ reason: "no_strength", detail: "nothing at $.power" })],
    });
  });

  it("skips a message in which `each` picks nothing", () => {
    expect(map({ each: "$.rx[*]", signal: "$.id", strength: "$.rssi" }, { join: {} })).toEqual({
      kind: "skipped",
    });
  });

  it("gives a feed of one signal a fixed name, and skips what has no strength there", () => {
    const mapping: Mapping = { signal: "roof", strength: "$.rssi" };
    expect(map(mapping, { rssi: -50 })).toEqual(one("roof", -50));
    expect(map(mapping, { type: "hello" })).toEqual({ kind: "skipped" });
  });

  it("defaults to the arrival where the time is missing", () => {
    const mapping: Mapping = { signal: "$.id", strength: "$.rssi", at: "$.at" };
    expect(map(mapping, { id: "a", rssi: -50 })).toEqual(one("a", -50));
    expect(map(mapping, { id: "a", rssi: -50, at: [] })).toEqual(rejected("bad_time"));
  });

  it("converts units to dBm", () => {
    const strengthOf = (
      unit: Mapping extends infer M ? (M extends { unit?: infer U } ? U : never) : never,
      raw: unknown,
    ) => map({ signal: "a", strength: "$.x", ...(unit === undefined ? {} : { unit }) }, { x: raw });
    expect(strengthOf("mW", 1)).toEqual(one("a", 0));
    expect(strengthOf("mW", 0.001)).toEqual(one("a", -30));
    expect(strengthOf("mW", 0)).toEqual(rejected("strength_out_of_range"));
    expect(strengthOf("percent", 0)).toEqual(one("a", -100));
    expect(strengthOf("percent", "50")).toEqual(one("a", -75));
    expect(strengthOf("percent", 101)).toEqual(rejected("strength_out_of_range"));
    expect(strengthOf({ scale: -0.5, offset: 10 }, 100)).toEqual(one("a", -40));
  });

  it("reads labels as text", () => {
    const mapping = compiled({
      each: "$.rx[*]",
      signal: "$.id",
      strength: "$.rssi",
      labels: { site: "$$.site", floor: "$.floor", none: "$.none", odd: "$.odd" },
    });
    const element = { id: "a", rssi: -1, floor: 3, odd: {} };
    expect(mapping.labels(element, { site: "x".repeat(300), rx: [element] })).toEqual({
      site: "x".repeat(200),
      floor: "3",
    });
  });

  it("is refused with a message when a path, a template or a label's key is wrong", () => {
    const wrong: Mapping[] = [
      { signal: "$.a[", strength: "$.b" },
      { signal: "$.a", strength: "rssi" },
      { signal: "{deviceId}", strength: "$.b" },
      { signal: "{$.a", strength: "$.b" },
      { signal: "$.a", strength: "$.b", each: "rx" },
      { signal: "$.a", strength: "$.b", labels: { "no key": "$.c" } },
    ];
    for (const mapping of wrong)
      expect(compileMapping(mapping), JSON.stringify(mapping)).toMatchObject({ ok: false });
  });
});

describe("any mapping", () => {
  it("gives an outcome for any JSON whatever", () => {
    const mappings: Mapping[] = [
      { preset: "default" },
      { preset: "ttn-v3" },
      { preset: "chirpstack-v4" },
      { signal: "$..id", strength: "$[?@.rssi < 0].rssi", at: "$$..at", labels: { a: "$..b" } },
    ];
    const names = ["id", "rssi", "at", "uplink_message", "rx_metadata", "rxInfo", "__proto__", "length"];
    const message = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.jsonValue({ maxDepth: 1 }),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...names), tie("value"), { maxKeys: 3 }),
      ),
    })).value;
    fc.assert(
      fc.property(fc.constantFrom(...mappings), message, (mapping, value) => {
        expect(["readings", "skipped", "rejected"]).toContain(map(mapping, value).kind);
      }),
      { numRuns: 1000 },
    );
  });

  it("survives deep nesting, duplicate keys and huge numbers", () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    for (const preset of ["default", "ttn-v3", "chirpstack-v4"] as const) {
      for (const text of [deep, `{"id":"a","id":"b","rssi":1e999}`, `{"uplink_message":${deep}}`]) {
        expect(mapMessage(compiled({ preset }), JSON.parse(text), ARRIVAL)).toBeDefined();
      }
    }
    expect(
      mapMessage(compiled({ preset: "default" }), JSON.parse('{"id":"a","id":"b","rssi":-1}'), ARRIVAL),
    ).toEqual(one("b", -1));
  });
});

describe("preset ttn-v3", () => {
  it("reads an uplink once for each gateway, at the time of the message", () => {
    const message = {
      end_device_ids: { device_id: "dev" },
      received_at: "2026-01-01T00:00:01.123456789Z",
      uplink_message: {
        rx_metadata: [
          { gateway_ids: { gateway_id: "g1" }, rssi: -94, time: "2025-01-01T00:00:00Z" },
          { gateway_ids: { gateway_id: "g2" }, rssi: -101 },
        ],
      },
    };
    const atMs = ARRIVAL + 1123;
    expect(map({ preset: "ttn-v3" }, message)).toEqual({
      kind: "readings",
      readings: [
        { name: "dev/g1", strength: -94, atMs },
        { name: "dev/g2", strength: -101, atMs },
      ],
      rejections: [],
    });
    expect(map({ preset: "ttn-v3" }, { end_device_ids: {}, join_accept: {} })).toEqual({ kind: "skipped" });
  });

  const capture = new URL("../../../../shared/data/ttn-v3-walk.ndjson", import.meta.url);
  it.skipIf(!existsSync(capture))(
    "maps a real capture of a walk: 511 readings, 1 skipped, where present",
    () => {
      const mapping = compiled({ preset: "ttn-v3" });
      const lines = readFileSync(capture, "utf8").trimEnd().split("\n");
      const outcomes = lines.map((line) => mapMessage(mapping, JSON.parse(line), ARRIVAL));
      const readings = outcomes.flatMap((outcome) => (outcome.kind === "readings" ? outcome.readings : []));
      expect(outcomes.filter(({ kind }) => kind === "skipped")).toHaveLength(1);
      expect(readings).toHaveLength(511);
      expect(new Set(readings.map(({ name }) => name))).toEqual(new Set(["008000000000ab75/ufjf-gw"]));
      expect(readings.filter(({ strength }) => strength < -100)).toHaveLength(338);
    },
  );
});

describe("preset chirpstack-v4", () => {
  it("reads an uplink once for each gateway, and skips other events", () => {
    const message = {
      time: "2026-01-01T00:00:02.5+00:00",
      deviceInfo: { devEui: "0101010101010101" },
      rxInfo: [{ gatewayId: "0016c001f153a14c", rssi: -36, snr: 10.5 }],
    };
    expect(map({ preset: "chirpstack-v4" }, message)).toEqual(
      one("0101010101010101/0016c001f153a14c", -36, ARRIVAL + 2500),
    );
    expect(map({ preset: "chirpstack-v4" }, { deviceInfo: {}, margin: 3 })).toEqual({ kind: "skipped" });
  });
});
