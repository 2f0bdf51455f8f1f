import { expect, test } from "vitest";
import { visible } from "../../src/dashboard/app/visible.ts";

test.each([
  ["an override of direction", "roof\u202e16-\u202c", String.raw`roof\u202e16-\u202c`],
  ["isolates and marks", "\u2066a\u2069\u200e\u200f\u061c", String.raw`\u2066a\u2069\u200e\u200f\u061c`],
  ["what has no width", "a\u200bb\ufeffc\u00add", String.raw`a\u200bb\ufeffc\u00add`],
  ["controls", "a\u0000b\u001b[31mc\u0085", String.raw`a\u0000b\u001b[31mc\u0085`],
  ["ends of lines that are none", "a\u2028b\rc", String.raw`a\u2028b\u000dc`],
  ["tags, by their halves", "a\u{e0041}", String.raw`a\udb40\udc41`],
  ["half a character", "a\ud800b", String.raw`a\ud800b`],
])("%s is to be seen", (_, text, shown) => {
  expect(visible(text)).toBe(shown);
});

test("what is to be seen already stays as it is", () => {
  const text = '{\n\t"Größe": "−61 dBm, ☂︎ ❤️ قوة 信号 😀",\r\n\t"x": "\\u202e"\n}';
  expect(visible(text)).toBe(text);
});
