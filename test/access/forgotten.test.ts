import { describe, expect, it } from "vitest";
import { Email } from "../../schemas/email.ts";
import { sendReset } from "../../src/access/passwords.ts";
import { networkOf } from "../../src/serve/people/network.ts";
import { accessEngines, openAccesses, somebody } from "../support/access.ts";

const HOUR_MS = 3_600_000;
const NETWORK = "192.0.2.1";
const stranger = (n: number) => Email.parse(`stranger-${n}@example.org`);
const sent = (results: readonly boolean[]): number => results.filter(Boolean).length;

const engines = await accessEngines();
describe.each(engines)("a forgotten password, on %s", (_, database) => {
  it("is told of to twenty addresses an hour from one network, whoever has them", async () => {
    const accesses = await openAccesses(database);
    const [one, two] = accesses.both;
    const { mails } = accesses.stores[0];
    const { email } = await somebody(accesses, "jane");
    const asked = await Promise.all(
      Array.from({ length: 30 }, (_each, n) => sendReset(n % 2 === 0 ? one : two, stranger(n), NETWORK)),
    );
    expect(sent(asked)).toBe(20);
    expect(await sendReset(one, email, NETWORK)).toBe(false);
    expect(await mails.waiting()).toBe(20);
    // What is refused to a network takes nothing from the address.
    expect(await sendReset(two, email, "198.51.100.1")).toBe(true);
    accesses.clock.advance(HOUR_MS);
    expect(await sendReset(one, stranger(99), NETWORK)).toBe(true);
  });

  it("counts for all of the first half of an IPv6 address together", async () => {
    const accesses = await openAccesses(database);
    const [parts] = accesses.both;
    const from = (address: string, n: number) => sendReset(parts, stranger(n), networkOf(address));
    for (let n = 0; n < 20; n++) expect(await from(`2001:db8:0:1:${n}::1`, n)).toBe(true);
    expect(await from("2001:db8:0:1:ffff:ffff:ffff:ffff", 20)).toBe(false);
    expect(await from("2001:db8:0:2::1", 20)).toBe(true);
  });

  it("is nothing to one address more than once a minute and five times a day", async () => {
    const accesses = await openAccesses(database);
    const [one, two] = accesses.both;
    const { email } = await somebody(accesses, "jane");
    for (const address of [email, stranger(1)]) {
      const atOnce = [one, two, one, two].map((parts, n) => sendReset(parts, address, `192.0.2.${n}`));
      expect(sent(await Promise.all(atOnce))).toBe(1);
      for (let n = 0; n < 6; n++) {
        accesses.clock.advance(60_000);
        // What was refused counts for nothing.
        expect(await sendReset(one, address, NETWORK)).toBe(n < 4);
      }
      accesses.clock.advance(24 * HOUR_MS);
      expect(await sendReset(one, address, NETWORK)).toBe(true);
    }
  });
});
