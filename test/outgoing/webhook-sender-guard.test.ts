import type { LookupAddress } from "node:dns";
import { createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Lookup } from "../../src/outgoing/guarded-lookup.ts";
import { arrived, RawFarEnd } from "../support/raw-far-end.ts";
import { until } from "../support/until.ts";
import { testSender } from "../support/webhook-sender.ts";

const CLOSING = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

const found = (addresses: readonly string[]): LookupAddress[] =>
  addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));

/** Answers each lookup with the next of these; the last one again and again. */
const resolvesTo = (...answers: (readonly string[])[]) => {
  const asked: string[] = [];
  const lookup: Lookup = (name, _, callback) => {
    const addresses = answers[Math.min(asked.length, answers.length - 1)] ?? [];
    asked.push(name);
    queueMicrotask(() => callback(null, found(addresses)));
  };
  return { asked, lookup };
};

const refused = (detail: string) => ({
  result: { failure: "address_refused", detail: expect.stringContaining(detail) },
  durationMs: 0,
  responseBody: null,
  retryAfterMs: null,
});

describe("where webhooks are sent", () => {
  it.each([
    [
      "not a public address",
      ["127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "127.0.0.1.", "0"],
    ],
    [
      "not a public address",
      ["10.0.0.1", "012.1", "0xa.1", "192.168.1.1", "172.16.0.1", "100.64.0.1", "①⓪.1"],
    ],
    ["not a public address", ["[::1]", "[::]", "[::ffff:10.0.0.1]", "[::ffff:7f00:1]", "[::10.0.0.1]"]],
    [
      "not a public address",
      ["[64:ff9b::10.0.0.1]", "[2002:a00:1::1]", "[2001:0:a00:1::1]", "[fec0::1]", "[fd00::1]"],
    ],
    ["not a public address", ["224.0.0.1", "255.255.255.255", "[ff02::1]", "198.18.0.1", "192.0.2.1"]],
    ["link-local", ["169.254.169.254", "2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "169.254.43518"]],
    ["link-local", ["[fe80::1]", "[::ffff:169.254.169.254]", "[64:ff9b::a9fe:a9fe]", "[2002:a9fe:a9fe::]"]],
    ["keeps its secrets", ["168.63.129.16", "[fd00:ec2::254]", "100.100.100.200"]],
    ["is this machine", ["localhost", "LOCALHOST.", "a.localhost", "a.b.localhost."]],
    ["is not a URL", ["[fe80::1%25eth0]", "256.1.1.1", "a b", "[::1"]],
    ["credentials", ["user:pass@hook.example", "user@hook.example", ":pass@hook.example"]],
  ])("is nowhere that is %s, however it is written", async (detail, hosts) => {
    const { asked, lookup } = resolvesTo(["10.9.8.7"]);
    const { post } = testSender({ allowPrivate: false, lookup });
    for (const host of hosts) expect(await post(`https://${host}/hook`), host).toEqual(refused(detail));
    expect(asked).toEqual([]);
  });

  it("is only what https leads to, or http where private addresses are allowed", async () => {
    const strict = testSender({ allowPrivate: false });
    expect(await strict.post("http://hook.example/")).toEqual(refused("its scheme is http, not https"));
    for (const url of [
      "ftp://hook.example/",
      "file:///etc/passwd",
      "javascript:1",
      "//hook.example",
      "hook",
    ]) {
      expect(await strict.post(url), url).toEqual(refused("it"));
      expect(await testSender().post(url), url).toEqual(refused("it"));
    }
  });

  it.each([
    ["10.0.0.1"],
    ["8.8.8.8", "10.0.0.1"],
    ["8.8.8.8", "::1"],
    ["::ffff:127.0.0.1"],
    ["169.254.169.254"],
    ["fe80::1%eth0"],
    ["64:ff9b::7f00:1"],
    ["0.0.0.0"],
  ])("is no name that resolves to %s %s", async (...addresses) => {
    const { asked, lookup } = resolvesTo(addresses);
    const { post } = testSender({ allowPrivate: false, lookup });
    const sent = await post("https://hook.example/");
    expect(sent).toEqual(refused("its name leads to an address that is not public"));
    // Nor is its address told: names could be asked for one after the other.
    expect(JSON.stringify(sent)).not.toContain(addresses.at(-1)?.split("%")[0]);
    expect(asked).toEqual(["hook.example"]);
  });

  it("is never link-local or a cloud's metadata, also where private addresses are allowed", async () => {
    for (const address of ["169.254.169.254", "fe80::1", "fd00:ec2::254", "168.63.129.16"]) {
      const { post } = testSender(resolvesTo(["127.0.0.1", address]));
      expect(await post("http://hook.example/"), address).toEqual(refused(address));
      const host = address.includes(":") ? `[${address}]` : address;
      expect(await post(`http://${host}/`), address).toEqual(refused(address));
    }
  });

  it("is the address that was checked, not what the name means a moment later", async () => {
    const farEnd = await RawFarEnd.start((socket) => socket.write(CLOSING));
    const elsewhere = createServer((socket) => socket.end("HTTP/1.1 500 Elsewhere\r\n\r\n"));
    await new Promise<void>((listening) => {
      elsewhere.listen(farEnd.port, "127.0.0.2", listening);
    });
    onTestFinished(() => void elsewhere.close());
    const { asked, lookup } = resolvesTo(["127.0.0.1"], ["127.0.0.2"]);
    const { post } = testSender({ lookup });
    expect((await post(`http://hook.example:${farEnd.port}/`)).result).toEqual({ status: 200 });
    expect(asked).toHaveLength(1);
  });

  it("is checked anew with every connection", async () => {
    const farEnd = await RawFarEnd.start((socket) => socket.write(CLOSING));
    const { post } = testSender(resolvesTo(["127.0.0.1"], ["169.254.169.254"]));
    const url = `http://hook.example:${farEnd.port}/`;
    expect((await post(url)).result).toEqual({ status: 200 });
    expect(await post(url)).toEqual(refused("169.254.169.254"));
    expect(farEnd.sockets).toHaveLength(1);
  });

  it("is the next address where the first is dead", async () => {
    const farEnd = await RawFarEnd.start((socket) => socket.write(CLOSING));
    const { post } = testSender(resolvesTo(["127.0.0.3", "127.0.0.1"]));
    expect((await post(`http://hook.example:${farEnd.port}/`)).result).toEqual({ status: 200 });
  });
});

describe("a name", () => {
  it.each([
    ["ENOTFOUND", "it has no address"],
    ["EAI_AGAIN", "its name servers gave no answer (EAI_AGAIN)"],
    ["ESERVFAIL", "its name servers gave no answer (ESERVFAIL)"],
  ])("that ends in %s could not be resolved", async (code, detail) => {
    const lookup: Lookup = (_, __, callback) => callback(Object.assign(new Error("no"), { code }), []);
    expect((await testSender({ lookup }).post("http://hook.example/")).result).toEqual({
      failure: "dns_failed",
      detail,
    });
  });

  it("without an address could not be resolved either", async () => {
    const { result } = await testSender(resolvesTo([])).post("http://hook.example/");
    expect(result).toEqual({ failure: "dns_failed", detail: "it has no address" });
  });

  it("whose servers are silent is given up after 5 s", async () => {
    let asked = 0;
    const lookup: Lookup = () => asked++;
    const { post, clock } = testSender({ lookup });
    const sent = post("http://hook.example/");
    await until("it was asked for", () => asked === 1);
    await arrived();
    clock.advance(5_000);
    const result = { failure: "dns_failed", detail: "its name servers gave no answer within 5 s" };
    expect(await sent).toMatchObject({ result, durationMs: 5_000 });
  });
});
