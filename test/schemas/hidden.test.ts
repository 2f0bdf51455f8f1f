import { describe, expect, test } from "vitest";
import { hasHiddenQuery, withHiddenQuery } from "../../schemas/hidden.ts";

describe("an address as it is shown", () => {
  test.each([
    ["https://a.example/feed", "https://a.example/feed"],
    ["https://a.example/feed?", "https://a.example/feed?"],
    ["https://a.example/feed?token=tell-nobody&page=1", "https://a.example/feed?token=***&page=***"],
    ["wss://a.example/feed?a=1&a=2", "wss://a.example/feed?a=***"],
    ["wss://a.example/feed?tell-nobody", "wss://a.example/feed?***"],
    ["wss://a.example/feed?tell-nobody&page=1", "wss://a.example/feed?***&page=***"],
    ["wss://a.example/feed?dGVsbC1ub2JvZHk=", "wss://a.example/feed?***"],
    ["wss://a.example/feed?dGVsbC1ub2JvZA==", "wss://a.example/feed?***"],
    ["wss://a.example/feed?=tell-nobody", "wss://a.example/feed?***"],
    ["wss://a.example/feed?k%20y=a=b", "wss://a.example/feed?k%20y=***"],
  ])("%s hides what its query says, and a key that stands there alone", (address, shown) => {
    expect(withHiddenQuery(address)).toBe(shown);
    expect(hasHiddenQuery(shown)).toBe(shown.includes("***"));
    expect(withHiddenQuery(shown)).toBe(shown);
  });
});
