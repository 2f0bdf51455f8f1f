import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { fingerprint, typedPart } from "../support/api-document.ts";
import { sharedServe } from "../support/serve.ts";

const shared = sharedServe();
const generated = new URL("../../src/client/generated.ts", import.meta.url);

test("the client's types are those of the routes as they are", async () => {
  const [firstLine = ""] = (await readFile(generated, "utf8")).split("\n");
  const response = await fetch(`${shared.serve.url}/v1/openapi.json`);
  const now = fingerprint(typedPart(await response.json()));
  const advice = "routes or schemas have changed: run `npm run client` and commit src/client/generated.ts";
  expect(firstLine, advice).toContain(now);
});
