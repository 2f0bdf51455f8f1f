import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { Problem } from "../../schemas/problem.ts";
import { sharedServe } from "../support/serve.ts";

const shared = sharedServe();
const post = (body: string | Buffer<ArrayBuffer>, path = "/v1/signals") =>
  fetch(shared.serve.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${shared.serve.key}`, "content-type": "application/json" },
    body,
  });
const refusal = async (response: Response) => Problem.parse(await response.json());
/** What comes back on a connection of its own for these bytes. */
const exchange = async (parts: readonly string[]): Promise<string> => {
  const socket = connect(Number(new URL(shared.serve.url).port), "127.0.0.1");
  for (const part of parts) socket.write(part);
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  await once(socket, "close");
  return text;
};

describe("a body", () => {
  test("that names a field twice is refused, also by another spelling", async () => {
    for (const body of [
      '{"name":"a","threshold":0,"name":"b"}',
      '{"name":"a","threshold":0,"\\u006eame":"b"}',
    ])
      expect(await refusal(await post(body))).toMatchObject({
        status: 400,
        code: "validation_failed",
        detail: 'the body names "name" twice in one object',
      });
  });

  test.each(['"0.5"', "true", "null", "[0.5]", "1e999", "-0.1"])(
    "with %s where a number from 0 to 1 belongs is refused there",
    async (threshold) => {
      const problem = await refusal(await post(`{"name":"a","threshold":${threshold}}`));
      expect(problem).toMatchObject({ status: 400, errors: [{ path: "threshold" }] });
    },
  );

  test.each(["NaN", "Infinity", "0x1", ".5", "01", "1_0"])(
    "with the number %s is no JSON",
    async (number) => {
      const problem = await refusal(await post(`{"name":"a","threshold":${number}}`));
      expect(problem).toMatchObject({ status: 400, code: "validation_failed" });
    },
  );

  test("that is null is none that was left out, also where one may be", async () => {
    const path = "/v1/integrations/webhooks/whk_01JDA2V3Q8R5T7W9Y1B3D5F7H9/test";
    expect((await post("", path)).status).toBe(404);
    for (const body of ["null", " null\n"])
      expect(await refusal(await post(body, path))).toMatchObject({
        status: 400,
        detail: "must be an object, and is null",
      });
  });

  test("that is not UTF-8 is refused, not mended", async () => {
    const body = Buffer.from('{"name":"caf\xe9","threshold":0.5}', "latin1");
    expect(await refusal(await post(body))).toMatchObject({ status: 400, detail: "the body is not UTF-8" });
  });

  test("of 10 MB is refused before it has been read", async () => {
    const head = [
      "POST /v1/signals HTTP/1.1",
      "Host: x",
      `Authorization: Bearer ${shared.serve.key}`,
      "Content-Type: application/json",
      "Content-Length: 10000000",
    ];
    const answer = await exchange([`${head.join("\r\n")}\r\n\r\n`, "[".repeat(1000)]);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('"code":"payload_too_large"');
  });
});

test("10,000 headers are refused", async () => {
  const answer = await exchange([`GET /v1/signals HTTP/1.1\r\nHost: x\r\n${"a:\r\n".repeat(10_000)}\r\n`]);
  expect(answer).toMatch(/^HTTP\/1\.1 413 .*the headers are too large/s);
});

test("two lengths, and a length beside chunks, are refused", async () => {
  const twice = "POST /v1/signals HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}";
  const both =
    "POST /v1/signals HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
  for (const request of [twice, both]) expect(await exchange([request])).toMatch(/^HTTP\/1\.1 400 /);
});
