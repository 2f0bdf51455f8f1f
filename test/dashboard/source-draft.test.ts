import { expect, test } from "vitest";
import { SourceCreate } from "../../schemas/source.ts";
import {
  connectionOf,
  hostOf,
  movedUp,
  NEW_SOURCE,
  type StepDraft,
  withStep,
} from "../../src/dashboard/pages/settings/source-draft.ts";

const typed = (steps: readonly StepDraft[], kind: StepDraft["kind"], text: string): StepDraft[] =>
  withStep(steps, kind).map((step) => (step.text === "" ? { ...step, text } : step));

test("a handshake is typed step by step, and its objects go as such", () => {
  let steps = typed([], "expect", "auth_required");
  steps = typed(steps, "send", '{"type":"auth","access_token":"secret"}');
  steps = typed(steps, "send", "hello");
  steps = typed(steps, "expect", "auth_ok");
  const [, , third] = steps;
  steps = movedUp(steps, steps.at(-1)?.key ?? 0).filter(({ key }) => key !== third?.key);
  const draft = { ...NEW_SOURCE, url: "ws://home.example:8123/api/websocket", handshake: steps };
  expect(SourceCreate.parse({ ...connectionOf(draft), name: "Home" })).toMatchObject({
    handshake: [
      { expect: "auth_required", timeoutSeconds: 10 },
      { send: { type: "auth", access_token: "secret" } },
      { expect: "auth_ok", timeoutSeconds: 10 },
    ],
  });
  expect(movedUp(steps, steps[0]?.key ?? 0)).toEqual(steps);
});

test("a source is called by its host until it has a name, as soon as there is one", () => {
  const host = (url: string, type: "websocket" | "push" = "websocket") =>
    hostOf({ ...NEW_SOURCE, type, url });
  expect(["", "wss://", "feed.example", "nothing:"].map((url) => host(url))).toEqual([
    null,
    null,
    null,
    null,
  ]);
  expect(host("wss://feed.example/readings")).toBe("feed.example");
  expect(host("wss://feed.example/readings", "push")).toBeNull();
});
