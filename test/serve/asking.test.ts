import { expect, onTestFinished, test } from "vitest";
import { AccessRequestsAnswer } from "../../schemas/access-request.ts";
import { Email } from "../../schemas/email.ts";
import { systemClock } from "../../src/adapters/system/clock.ts";
import { Browser } from "../support/people.ts";
import { openTestEngines, startTestServe, type TestServe } from "../support/serve.ts";

const USE_CASE = "We watch forty masts of a rescue service.";
let people = 0;

const DAY_MS = 86_400_000;

/** Behind a proxy, so that requests come from wherever a test says. */
const serving = async () => {
  const engines = await openTestEngines();
  const serve = await startTestServe(engines, { trustProxy: true });
  onTestFinished(async () => {
    await serve.stop();
    await engines.close();
  });
  const known = Email.parse(`known-${people++}@example.org`);
  const { access } = engines.control;
  const person = await access.people.create(known, null);
  if (person === null) throw new Error("there is one already");
  await access.members.add(engines.accountId, person.id, "viewer");
  return { engines, serve, known };
};

const through = (from: string) => ({ "x-forwarded-for": from, "x-forwarded-proto": "https" });

/** How each way to ask is asked for an address, from somewhere. */
const WAYS = {
  "POST /forgot-password": ({ url }: TestServe, email: string, from: string) =>
    new Browser(url).send("/forgot-password", { email }, through(from)),
  "POST /request-access": ({ url }: TestServe, email: string, from: string) =>
    new Browser(url).send("/request-access", { email, useCase: USE_CASE }, through(from)),
  "POST /v1/access-requests": async ({ url }: TestServe, email: string, from: string) => {
    const response = await fetch(`${url}/v1/access-requests`, {
      method: "POST",
      headers: { "content-type": "application/json", ...through(from) },
      body: JSON.stringify({ email, useCase: USE_CASE }),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  },
};
const seenOf = ({ status, headers, text }: { status: number; headers: Headers; text: string }) => {
  const told = [...headers].filter(([name]) => !["date", "x-request-id"].includes(name));
  return { status, text, headers: told };
};

test.each(Object.entries(WAYS))("%s answers the same whether an address is known or not", async (_, ask) => {
  const { serve, known } = await serving();
  const [first, second] = [
    await ask(serve, known, "192.0.2.1"),
    await ask(serve, "who@example.org", "192.0.2.2"),
  ];
  expect(first.status).toBe(202);
  expect(seenOf(second)).toEqual(seenOf(first));
  // Again within the minute, and from where the other came from.
  for (const [email, from] of [
    [known, "192.0.2.2"],
    ["who@example.org", "192.0.2.1"],
  ] as const)
    expect(seenOf(await ask(serve, email, from))).toEqual(seenOf(first));
});

test("POST /forgot-password answers the same also once a network has asked too often, and sends nothing", async () => {
  const { engines, serve, known } = await serving();
  const ask = (email: string, from: string) => WAYS["POST /forgot-password"](serve, email, from);
  const first = seenOf(await ask("first@example.org", "2001:db8:0:1::1"));
  const rest = await Promise.all(
    Array.from({ length: 40 }, (_, n) => ask(`stranger-${n}@example.org`, `2001:db8:0:1:${n}::2`)),
  );
  for (const answer of rest) expect(seenOf(answer)).toEqual(first);
  expect(seenOf(await ask(known, "2001:db8:0:1::1"))).toEqual(first);
  await serve.stop();
  expect(await engines.control.mails.waiting()).toBe(20);
});

test("GET /v1/access-requests says which were to be answered before now", async () => {
  const { engines, serve, known } = await serving();
  await engines.control.access.requests.add(known, USE_CASE);
  const tomorrow = { ...engines, clock: { ...systemClock, now: () => systemClock.now() + DAY_MS } };
  const late = await startTestServe(tomorrow);
  onTestFinished(() => late.stop());
  const shown = async ({ url, key }: TestServe, headers = {}) => {
    const authorization = `Bearer ${key}`;
    const response = await fetch(`${url}/v1/access-requests`, { headers: { authorization, ...headers } });
    const { accessRequests } = AccessRequestsAnswer.parse(await response.json());
    return accessRequests.map(({ email, overdue }) => ({ email, overdue }));
  };
  expect(await shown(serve, through("192.0.2.1"))).toEqual([{ email: known, overdue: false }]);
  expect(await shown(late)).toEqual([{ email: known, overdue: true }]);
});
