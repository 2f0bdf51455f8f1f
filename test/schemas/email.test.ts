import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Email } from "../../schemas/email.ts";

const read = (text: string): string | null => Email.safeParse(text).data ?? null;

describe("an e-mail address", () => {
  it.each([
    ["jane@example.org", "jane@example.org"],
    ["  Jane.Doe+radio@Example.ORG\n", "jane.doe+radio@example.org"],
    ["o'neil@mail.example.co.uk", "o'neil@mail.example.co.uk"],
    ["jane@bücher.example", "jane@xn--bcher-kva.example"],
    ["jane@BÜCHER.example", "jane@xn--bcher-kva.example"],
    ["jane@xn--bcher-kva.example", "jane@xn--bcher-kva.example"],
    ["jane@例え.テスト", "jane@xn--r8jz45g.xn--zckzah"],
    [`${"a".repeat(64)}@example.org`, `${"a".repeat(64)}@example.org`],
  ])("%j is %s", (text, address) => {
    expect(read(text)).toBe(address);
  });

  it.each([
    "",
    "jane",
    "@example.org",
    "jane@",
    "jane@localhost",
    "jane@127.0.0.1",
    "jane@[127.0.0.1]",
    "jane@0x7f.1",
    "a@x.example, c@x.example",
    "a@x.example;c@x.example",
    "a@x.example c@x.example",
    "a@b@x.example",
    "Jane <jane@example.org>",
    '"jane doe"@example.org',
    "jane@example.org\r\nBcc: all@example.org",
    "ja\nne@example.org",
    "jane\0@example.org",
    "jane@exam\0ple.org",
    "jane@example.org/path",
    "jane@example.org:25",
    "jane@example.org?x",
    "jane@example.org#x",
    "jane@user:pw@example.org",
    "jane@%65xample.org",
    "jane@example\u00ad.org",
    "jane@example.org\u202e",
    ".jane@example.org",
    "jane.@example.org",
    "ja..ne@example.org",
    "jane@-example.org",
    "jane@example..org",
    "jane@example.org.",
    "jané@example.org",
    `${"a".repeat(65)}@example.org`,
    `jane@${"a".repeat(64)}.org`,
    `jane@${"a.".repeat(130)}org`,
  ])("%j is none", (text) => {
    expect(read(text)).toBeNull();
  });

  it("is read the same when read again, whatever it was, and goes to one person", () => {
    const parts = fc.tuple(
      fc.string({ unit: "binary", maxLength: 20 }),
      fc.constantFrom("@", "", "@x."),
      fc.string({ unit: "grapheme", maxLength: 20 }),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.emailAddress(),
          parts.map((all) => all.join("")),
        ),
        (text) => {
          const address = read(text);
          if (address === null) return;
          expect(read(address)).toBe(address);
          expect(address).toMatch(/^[\x21-\x7e]+$/);
          expect(address).not.toMatch(/[,;<>"\s]/);
          expect(address.split("@").length).toBe(2);
        },
      ),
    );
  });
});
