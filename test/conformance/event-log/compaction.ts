import { describe, expect, it } from "vitest";
import type { LogRecord } from "../../../src/domain/log-record.ts";
import type { EventLog } from "../../../src/ports/event-log.ts";
import { until } from "../../support/until.ts";
import type { OpenLog } from "../event-log.ts";
import { bytes, collect, texts } from "./reading.ts";

const put = (log: EventLog, key: string, value: string) =>
  log.append("sources", [{ key, value: bytes(value) }]);
const newestByKey = (records: readonly LogRecord[]) =>
  new Map(records.map((record) => [record.key, new TextDecoder().decode(record.value)]));

export const compactionBehaviour = (open: OpenLog): void => {
  describe("the compacted topic sources", () => {
    it("keeps the newest record of every key, over restarts, and goes on counting", async () => {
      const { log, reopen } = await open();
      for (const revision of [1, 2, 3]) {
        await put(log, "src_a", `a${revision}`);
        await put(log, "src_b", `b${revision}`);
      }
      await put(log, "src_c", "c1");
      const again = await reopen();
      const [place] = await put(again, "src_a", "a4");
      expect(place?.offset).toBe(7);
      const seen = await collect(again, { group: "ingest", topic: "sources", from: 0 });
      await until("the newest record", () => seen.records.at(-1)?.offset === 7);
      expect(newestByKey(seen.records)).toEqual(
        new Map([
          ["src_a", "a4"],
          ["src_b", "b3"],
          ["src_c", "c1"],
        ]),
      );
      expect(seen.records.map(({ offset }) => offset)).toEqual(
        seen.records.map(({ offset }) => offset).toSorted((a, b) => a - b),
      );
      await seen.member.stop();
    });

    it("tells a reader that a key is gone by an empty value", async () => {
      const { log } = await open();
      const seen = await collect(log, { group: "ingest", topic: "sources", from: 0 });
      await put(log, "src_a", "a1");
      await until("the record", () => seen.records.length === 1);
      await put(log, "src_a", "");
      await until("the tombstone", () => seen.records.length === 2);
      expect(texts(seen.records)).toEqual(["a1", ""]);
      await seen.member.stop();
    });

    it("refuses a record without a key", async () => {
      const { log } = await open();
      await expect(log.append("sources", [{ value: bytes("x") }])).rejects.toThrow(RangeError);
    });
  });
};
