import { expect, onTestFinished, test } from "vitest";
import { Email } from "../../schemas/email.ts";
import { systemEntropy } from "../../src/adapters/system/clock.ts";
import { SUDO_MS } from "../../src/domain/access/limits.ts";
import { TOKEN_BYTES, tokenOf } from "../../src/domain/access/secret-token.ts";
import { KEY_TTL_MS } from "../../src/serve/known-keys.ts";
import { KnownSessions } from "../../src/serve/known-sessions.ts";
import { isProven } from "../../src/serve/people/proof.ts";
import { ManualClock } from "../support/clock.ts";
import { openTestControl } from "../support/engines.ts";
import { testTelemetry } from "../support/telemetry.ts";

const PEER = "192.0.2.1";
const MINUTE_MS = 60_000;
const newToken = () => tokenOf(systemEntropy.bytes(TOKEN_BYTES));

test("a session that was seen before is found however often its peer has guessed, and one that ended is not", async () => {
  const clock = new ManualClock();
  const { access } = await openTestControl(clock);
  const sessions = new KnownSessions(access.sessions, clock, testTelemetry().log);
  onTestFinished(() => sessions.stop());
  const person = await access.people.create(Email.parse("jane@example.org"), null);
  if (person === null) throw new Error("there is one already");
  const begun = async () => {
    const token = newToken();
    const visitor = { userAgent: "a browser", address: PEER };
    const made = { personId: person.id, accountId: null, hasSecondFactor: false, ...visitor };
    return { token, ...(await access.sessions.create(token, made)) };
  };
  const [seen, unseen] = [await begun(), await begun()];
  expect(await sessions.find(seen.token, PEER)).toMatchObject({ id: seen.id });
  for (let n = 0; n < 100; n++) expect(await sessions.find(newToken(), PEER)).toBeNull();
  await expect(sessions.find(unseen.token, PEER)).rejects.toMatchObject({ code: "rate_limited" });
  clock.advance(KEY_TTL_MS);
  expect(await sessions.find(seen.token, PEER)).toMatchObject({ id: seen.id });
  await access.sessions.end(person.id, seen.id);
  clock.advance(KEY_TTL_MS);
  expect(await sessions.find(seen.token, PEER)).toBeNull();
  await expect(sessions.find(seen.token, PEER)).rejects.toMatchObject({ code: "rate_limited" });
});

test("a proof of who somebody is holds for ten minutes, and not for as long as a clock was set back", () => {
  const clock = new ManualClock();
  const isProvenAt = (provenAt: number) => isProven({ provenAt }, clock);
  const now = clock.now();
  expect([now - SUDO_MS, now - SUDO_MS + 1, now].map(isProvenAt)).toEqual([false, true, true]);
  // Another machine's clock may be a little ahead.
  expect([now + MINUTE_MS, now + MINUTE_MS + 1].map(isProvenAt)).toEqual([true, false]);
});
