import { expect, test } from "vitest";
import { Names } from "../../src/cli/names.ts";
import { createClient } from "../../src/client/client.ts";
import { until } from "../support/until.ts";

const SIGNALS = 1_200;
const json = (body: object) =>
  new Response(JSON.stringify(body), { headers: { "content-type": "application/json" } });

/** A service of many signals, 500 a page; from the page `stuckAt` on it never answers. */
const service = (stuckAt = Number.POSITIVE_INFINITY) => {
  const asked: string[] = [];
  const fetch = (request: Request): Promise<Response> => {
    const { pathname, searchParams } = new URL(request.url);
    asked.push(pathname);
    const start = Number(searchParams.get("cursor") ?? 0);
    if (start >= stuckAt)
      return new Promise((_resolve, reject) =>
        request.signal.addEventListener("abort", () => reject(request.signal.reason)),
      );
    const numbers = Array.from({ length: Math.min(500, SIGNALS - start) }, (_, index) => start + index);
    const signals = numbers.map((n) => ({ id: `sig_${n}`, name: `name ${n}` }));
    return Promise.resolve(json({ signals, nextCursor: start + 500 < SIGNALS ? String(start + 500) : null }));
  };
  const stop = new AbortController();
  const client = createClient({ url: "http://service.example", apiKey: "k", fetch });
  return { asked, stop, names: new Names(client, { stop: stop.signal }) };
};

test("names come by the page, and no signal costs a request of its own", async () => {
  const { asked, names } = service();
  await names.begin();
  expect(names.of("sig_7")).toBe("name 7");
  await until("the last page", () => names.of(`sig_${SIGNALS - 1}`) === `name ${SIGNALS - 1}`);
  await names.settled();
  for (let n = 0; n < 1_000; n++) expect(names.of(`sig_unknown_${n}`)).toBe(`sig_unknown_${n}`);
  await names.settled();
  expect(asked).toEqual(Array(4).fill("/v1/signals"));
});

test("what is still to be learned ends with the stop signal", async () => {
  const { names, stop } = service(500);
  await names.begin();
  expect(names.of("sig_900")).toBe("sig_900");
  stop.abort();
  await names.settled();
});
