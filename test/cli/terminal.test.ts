import { expect, test } from "vitest";
import { shown, terminal } from "../../src/cli/terminal.ts";

const painted = (isTTY: boolean, environment: NodeJS.ProcessEnv): string => {
  const screen = { write: () => true, isTTY };
  return terminal(screen, screen, environment).paint("red", "failed");
};

test("there are colours on a terminal, unless NO_COLOR says otherwise", () => {
  expect(painted(true, {})).toBe("\u001b[31mfailed\u001b[39m");
  expect(painted(true, { NO_COLOR: "1" })).toBe("failed");
  expect(painted(true, { TERM: "dumb" })).toBe("failed");
  expect(painted(false, {})).toBe("failed");
});

test("a text from elsewhere loses what would steer a terminal, and nothing else", () => {
  expect(shown("a\u001b]0;title\u0007b\r\nc\u202ed\u009b")).toBe(
    "a\ufffd]0;title\ufffdb\ufffd\ufffdc\ufffdd\ufffd",
  );
  expect(shown("Dachantenne −50 dBm ✓ 屋根")).toBe("Dachantenne −50 dBm ✓ 屋根");
});
