import fc from "fast-check";
import { expect, test } from "vitest";
import { CONTINUE_STAND_IN, InterimAnswers } from "../../src/outgoing/interim-answers.ts";

const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";

/** What is read of the text when it comes in pieces of these sizes, and then the rest. */
const readInPieces = (text: string, sizes: readonly number[]): string => {
  const answers = new InterimAnswers();
  let rest = Buffer.from(text);
  const read: Buffer[] = [];
  for (const size of [...sizes, rest.length]) {
    const piece = Buffer.from(rest.subarray(0, size));
    rest = rest.subarray(size);
    answers.read(piece);
    read.push(piece);
  }
  return Buffer.concat(read).toString();
};
const standIn = (text: string) => text.replaceAll("HTTP/1.1 100", `HTTP/1.1 ${CONTINUE_STAND_IN}`);

test("an interim 100 is read as another one, in whatever pieces it comes, and nothing else is changed", () => {
  const heads = fc.constantFrom(
    CONTINUE,
    "HTTP/1.1 100\r\nA: HTTP/1.1 100\r\n\r\n",
    "\r\n\r\n",
    "HTTP/1.1 103 Hints\r\nLink: b\r\n\r\n",
  );
  const finals = fc.constantFrom(
    "HTTP/1.1 200 OK\r\n\r\n",
    "HTTP/1.1 101 Over\r\n\r\n",
    "220 mail\r\n\r\n",
    "",
  );
  const sizes = fc.array(fc.integer({ min: 0, max: 30 }));
  fc.assert(
    fc.property(fc.array(heads, { maxLength: 4 }), finals, sizes, (interim, final, pieces) => {
      const read = readInPieces([...interim, final, final === "" ? "" : CONTINUE].join(""), pieces);
      const expected = interim.map((head) => head.replace(/^HTTP\/1.1 100/, standIn("HTTP/1.1 100")));
      expect(read).toBe([...expected, final, final === "" ? "" : CONTINUE].join(""));
    }),
  );
});

test("what follows an answer is left alone until another one is expected", () => {
  const answers = new InterimAnswers();
  const read = (text: string) => {
    const bytes = Buffer.from(text);
    answers.read(bytes);
    return bytes.toString();
  };
  expect(read(`HTTP/1.1 200 OK\r\n\r\n${CONTINUE}`)).toBe(`HTTP/1.1 200 OK\r\n\r\n${CONTINUE}`);
  expect(read(CONTINUE)).toBe(CONTINUE);
  answers.expect();
  expect(read(CONTINUE)).toBe(standIn(CONTINUE));
  expect(read(CONTINUE)).toBe(standIn(CONTINUE));
});
