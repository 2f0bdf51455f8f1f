import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { boundedFetch } from "../../../src/adapters/openid/bounded-fetch.ts";
import { portOf } from "../../support/port.ts";

const ask = (url: string, signal = AbortSignal.timeout(10_000)) =>
  boundedFetch(url, { body: undefined, headers: {}, method: "GET", redirect: "manual", signal });
const answering = async (answer: (response: ServerResponse) => void): Promise<string> => {
  const server = createServer((_request, response) => answer(response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${portOf(server)}/`;
};

describe("what is asked of a provider", () => {
  it("goes in clear text to nobody but this machine", async () => {
    for (const url of ["http://192.0.2.1/", "http://127.0.0.1.example/", "ftp://192.0.2.1/"])
      await expect(ask(url)).rejects.toThrow("only HTTPS leaves this machine");
  });

  it("is answered by no more than 256 KiB, compressed or not, and by no other address", async () => {
    const whole = await answering((response) => response.end("x".repeat(256 * 1024)));
    expect((await (await ask(whole)).text()).length).toBe(256 * 1024);
    const more = await answering((response) => response.end("x".repeat(256 * 1024 + 1)));
    await expect(ask(more)).rejects.toThrow("an answer has more than 262144 bytes");
    const packed = await answering((response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(10_000_000))),
    );
    await expect(ask(packed)).rejects.toThrow("an answer has more than 262144 bytes");
    const moved = await answering((response) => response.writeHead(307, { location: whole }).end());
    expect((await ask(moved)).status).toBe(307);
  });

  it("is given up when its time is over, in the middle of an answer, too", async () => {
    const begun = Promise.withResolvers<void>();
    const halting = await answering((response) => {
      response.write("{");
      begun.resolve();
    });
    const stop = new AbortController();
    const asked = ask(halting, stop.signal);
    await begun.promise;
    stop.abort(new Error("the time is over"));
    await expect(asked).rejects.toThrow("the time is over");
  });
});
