import { expect, test } from "vitest";
import { Echoes } from "../../src/dashboard/pages/signals/echoes.ts";

test("what was typed comes back late and does not set back who types on", () => {
  const echoes = new Echoes("");
  echoes.send("a");
  echoes.send("ab");
  expect(echoes.latest).toBe("ab");
  expect(echoes.isForeign("a")).toBe(false);
  expect(echoes.isForeign("ab")).toBe(false);
});

test("what never came back does not make later words of others one's own", () => {
  const echoes = new Echoes("");
  echoes.send("a");
  echoes.send("ab");
  expect(echoes.isForeign("ab")).toBe(false);
  expect(echoes.isForeign("a")).toBe(true);
  expect(echoes.latest).toBe("a");
});

test("what others set is shown, once", () => {
  const echoes = new Echoes("mast");
  expect(echoes.isForeign("mast")).toBe(false);
  expect(echoes.isForeign("")).toBe(true);
  expect(echoes.isForeign("")).toBe(false);
});

test("who takes back what has not come back yet is heard", () => {
  const echoes = new Echoes("");
  echoes.send("a");
  // Shown is the empty text still, but it will not be.
  expect(echoes.latest).toBe("a");
  echoes.send("");
  expect(echoes.isForeign("a")).toBe(false);
  expect(echoes.isForeign("")).toBe(false);
});
