import { describe, expect, it } from "vitest";
import { type EventLog, LogFullError } from "../../../src/ports/event-log.ts";
import { until } from "../../support/until.ts";
import type { OpenLog } from "../event-log.ts";
import { numbered } from "./reading.ts";

const MAX_BYTES = 2_000_000;
const block = { value: new Uint8Array(100_000) };

const fill = (log: EventLog) =>
  until("the log to be full", async () => {
    try {
      await log.append("readings", [block], { bounded: true });
      return false;
    } catch (error) {
      expect(error).toBeInstanceOf(LogFullError);
      return true;
    }
  });

export const capacityBehaviour = (open: OpenLog): void => {
  describe("the limit of the log", () => {
    it("refuses bounded appends and takes all others", async () => {
      const { log } = await open({ maxBytes: MAX_BYTES });
      expect(log.hasRoom()).toBe(true);
      await fill(log);
      expect(log.hasRoom()).toBe(false);
      expect(log.health().state).toBe("degraded");
      const [end] = await log.bounds("readings");
      expect(end?.end).toBeLessThanOrEqual(MAX_BYTES / block.value.length + 1);
      await log.append("events", numbered("event", 1));
      await log.append("readings", numbered("tick", 1));
    });

    it("takes bounded appends again when enough was trimmed, and says when", async () => {
      const { log } = await open({ maxBytes: MAX_BYTES });
      await fill(log);
      const end = (await log.bounds("readings"))[0]?.end ?? 0;
      const room = log.whenRoom(new AbortController().signal);
      await log.trim("readings", 0, Math.ceil(end / 2));
      await room;
      expect(log.hasRoom()).toBe(true);
      await log.append("readings", [block], { bounded: true });
    });

    it("is still full after a restart", async () => {
      const { log, reopen } = await open({ maxBytes: MAX_BYTES });
      await fill(log);
      const again = await reopen();
      await expect(again.append("readings", [block], { bounded: true })).rejects.toThrow(LogFullError);
    });

    it("rejects who waits for room with the reason of the signal", async () => {
      const { log } = await open({ maxBytes: MAX_BYTES });
      await log.whenRoom(new AbortController().signal);
      await fill(log);
      const waiting = new AbortController();
      const room = log.whenRoom(waiting.signal);
      waiting.abort(new Error("no longer wanted"));
      await expect(room).rejects.toThrow("no longer wanted");
    });
  });
};
