import { beforeAll, expect, test } from "vitest";
import { pretendBrowser } from "./browser.ts";

let texts: typeof import("../../src/dashboard/pages/settings/stage-text.ts");
beforeAll(async () => {
  pretendBrowser();
  texts = await import("../../src/dashboard/pages/settings/stage-text.ts");
});

test("what waits for a stage is told by what is to be done, and how much it is", () => {
  const told = (stage: string, topic: string, lag: number) => [
    texts.stageText({ stage, topic, lag }),
    texts.lagText({ stage, topic, lag }),
  ];
  expect(told("evaluate", "readings", 0)).toEqual(["Readings to be evaluated", "none"]);
  expect(told("record", "events", 1)).toEqual(["Events to be stored", "1 record of the log"]);
  expect(told("deliver", "events", 12)).toEqual(["Events to be delivered", "12 records of the log"]);
  expect(told("another", "readings", 2)[0]).toBe("another: readings");
});
