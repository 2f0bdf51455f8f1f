import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import {
  createServer,
  getCACertificates,
  setDefaultCACertificates,
  type TLSSocket,
  type TlsOptions,
} from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import { dialFailure, tlsWords } from "../../src/outgoing/dial-failure.ts";
import type { Lookup } from "../../src/outgoing/guarded-lookup.ts";
import { portOf } from "../support/port.ts";
import { arrived, RawFarEnd } from "../support/raw-far-end.ts";
import { until } from "../support/until.ts";
import { testSender } from "../support/webhook-sender.ts";

const file = (name: string) => readFile(new URL(`../support/tls/${name}.pem`, import.meta.url), "utf8");

const here: Lookup = (_, __, callback) => callback(null, [{ address: "127.0.0.1", family: 4 }]);

const OK = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

const tlsServer = async (certificate: string, options: TlsOptions = {}) => {
  const resumed: boolean[] = [];
  const parts = { cert: await file(certificate), key: await file("key"), ...options };
  const server = createServer(parts, (socket: TLSSocket) => {
    resumed.push(socket.isSessionReused());
    socket.on("error", () => undefined).once("data", () => socket.end(OK));
  });
  server.on("tlsClientError", () => undefined).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { resumed, port: portOf(server) };
};

const trusting = async (...names: string[]) => {
  const usual = getCACertificates("default");
  onTestFinished(() => setDefaultCACertificates(usual));
  setDefaultCACertificates([...usual, ...(await Promise.all(names.map(file)))]);
};

/** Listens, and accepts nothing: what its queue cannot hold gets no answer at all. */
const DEAF = `
const server = require("node:net").createServer();
server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
  process.stdout.write(String(server.address().port), () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });
});`;

const deafPort = async (): Promise<number> => {
  const child: ChildProcess = spawn(process.execPath, ["-e", DEAF], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  if (child.stdout === null) throw new Error("no pipe");
  const [port] = await once(child.stdout, "data");
  const fillers = Array.from({ length: 4 }, () => connect(Number(String(port)), "127.0.0.1"));
  onTestFinished(() => {
    for (const filler of fillers) filler.destroy();
  });
  for (const filler of fillers) filler.on("error", () => undefined);
  await until("its queue is full", () => fillers.filter(({ connecting }) => !connecting).length >= 2);
  return Number(String(port));
};

describe("a connection", () => {
  it("to where nothing listens is refused", async () => {
    const { port } = await RawFarEnd.start();
    const { post } = testSender();
    const { result } = await post(`http://127.0.0.9:${port}/`);
    expect(result).toEqual({ failure: "connection_refused", detail: `127.0.0.9:${port}` });
  });

  it.each(["127.0.0.1", "hook.example"])("to %s that nobody answers is given up after 5 s", async (host) => {
    const port = await deafPort();
    const { post, clock, sender } = testSender({ lookup: here });
    const sent = post(`http://${host}:${port}/`);
    await arrived();
    clock.advance(5_000);
    const result = { failure: "connection_timeout", detail: "nothing answered within 5 s" };
    expect(await sent).toMatchObject({ result, durationMs: 5_000 });
    expect(sender.counts().open).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it("whose TLS handshake hangs is given up after 5 s", async () => {
    const farEnd = await RawFarEnd.start();
    const { post, clock } = testSender();
    const sent = post(`https://127.0.0.1:${farEnd.port}/`);
    await until("it is connected", () => farEnd.sockets.length === 1);
    await arrived();
    clock.advance(5_000);
    const result = { failure: "connection_timeout", detail: "the TLS handshake did not end within 5 s" };
    expect(await sent).toMatchObject({ result, durationMs: 5_000 });
    await until("the far end sees it", () => farEnd.sockets[0]?.destroyed);
  });

  it.each([
    [
      dialFailure("connection", Object.assign(new Error(), { code: "EHOSTUNREACH" })),
      "connection_failed",
      "EHOSTUNREACH",
    ],
    [dialFailure("connection", Object.assign(new Error(), { code: "ETIMEDOUT" })), "connection_timeout", ""],
    [
      dialFailure(
        "connection",
        Object.assign(new Error(), { code: "ECONNREFUSED", address: "::1", port: 443 }),
      ),
      "connection_refused",
      "[::1]:443",
    ],
  ])("that fails otherwise says how: %s", ({ failure, message }, name, detail) => {
    expect(failure).toBe(name);
    expect(message).toContain(detail);
  });
});

describe("TLS", () => {
  it("is as good as its certificate: one that is trusted, for this name", async () => {
    await trusting("cert");
    const { port } = await tlsServer("issued");
    const { post } = testSender({ lookup: here });
    for (const host of ["localhost", "localhost.", "127.0.0.1"]) {
      expect((await post(`https://${host}:${port}/`)).result, host).toEqual({ status: 200 });
    }
  });

  it.each([
    ["cert", "localhost", [], "its certificate is self-signed"],
    ["issued", "localhost", [], "its certificate comes from an authority that is not trusted"],
    ["expired", "localhost", ["expired"], "its certificate has expired"],
    ["future", "localhost", ["future"], "its certificate is not valid yet"],
    ["cert", "hook.example", ["cert"], "for another name: it has DNS:localhost, IP Address:127.0.0.1"],
    ["cert", "127.0.0.1.nip.example", ["cert"], "for another name"],
  ])(
    "with the certificate '%s' for %s, trusted: %j, fails and says which",
    async (name, host, trusted, detail) => {
      await trusting(...trusted);
      const { port } = await tlsServer(name);
      const { post, sender } = testSender({ lookup: here });
      const failed = { failure: "tls_failed", detail: expect.stringContaining(detail) };
      // Twice: a handshake that failed leaves no session that could pass.
      for (let time = 0; time < 2; time++)
        expect((await post(`https://${host}:${port}/`)).result).toEqual(failed);
      expect(sender.counts().open).toBe(0);
    },
  );

  it.each(["TLSv1.2", "TLSv1.3"] as const)("of %s goes on from the session before", async (version) => {
    await trusting("cert");
    const { port, resumed } = await tlsServer("cert", { minVersion: version, maxVersion: version });
    const { post } = testSender({ lookup: here });
    for (let time = 0; time < 2; time++) {
      expect((await post(`https://localhost:${port}/`)).result).toEqual({ status: 200 });
    }
    expect(resumed).toEqual([false, true]);
  });

  it.each([
    ["speaks HTTP", "HTTP/1.1 400 Bad Request\r\n\r\n", "it does not speak TLS"],
    ["says nothing and hangs up", "", "it closed the connection during the handshake"],
  ])("to a port that %s is told apart", async (_, bytes, detail) => {
    const farEnd = await RawFarEnd.start();
    const { post } = testSender();
    const sent = post(`https://127.0.0.1:${farEnd.port}/`);
    const socket = await until("it is connected", () => farEnd.sockets[0]);
    socket.end(bytes);
    expect((await sent).result).toEqual({ failure: "tls_failed", detail });
  });

  it("that fails in a way nobody foresaw names OpenSSL's code", () => {
    const error = Object.assign(new Error("C0:error:0A000410:ssl/record/rec_layer_s3.c"), {
      code: "ERR_SSL_ODD",
    });
    expect(tlsWords(error)).toBe("it broke off the handshake (ERR_SSL_ODD)");
  });
});
