import { describe, expect, test } from "vitest";
import { BatchAnswer } from "../../schemas/batch.ts";
import { Problem } from "../../schemas/problem.ts";
import { SignalCreate, SignalsAnswer } from "../../schemas/signal.ts";
import { isBlock } from "../../src/domain/log-record.ts";
import { partitionOf } from "../../src/domain/partition.ts";
import { allRecords } from "../support/engines.ts";
import { accountId, signalId } from "../support/rows.ts";
import { sharedServe } from "../support/serve.ts";

const shared = sharedServe();
const PATH = "/v1/signals/batch";

const run = (operations: readonly unknown[], atomic = false): Promise<BatchAnswer> =>
  shared.serve.api.expect(BatchAnswer, "POST", PATH, { operations, atomic });
const refused = async (operations: readonly unknown[]) => {
  const answer = await shared.serve.api.call("POST", PATH, { operations, atomic: true });
  expect(answer).toMatchObject({ status: 422, body: { code: "batch_refused" } });
  return Problem.parse(answer.body).errors?.map(({ path }) => path);
};
const create = (name: string, fields: object = {}) => ({
  operation: "create",
  name,
  threshold: 0.4,
  ...fields,
});
const created = async (name: string, fields: object = {}) => {
  const [result] = (await run([create(name, fields)])).results;
  if (result?.signal === undefined) throw new Error(JSON.stringify(result));
  return result.signal;
};
const named = async (q: string) =>
  (await shared.serve.api.expect(SignalsAnswer, "GET", `/v1/signals?q=${q}&sort=name`)).signals;

/** What stands in the log's partition of a signal: kinds of changes, and lines of readings. */
const logged = async (id: string) => {
  const { log } = shared.engines;
  const partition = partitionOf(id, log.partitions("readings"));
  const records = await allRecords(log, "readings", partition);
  return records.flatMap((record) => {
    const text = new TextDecoder().decode(record.value);
    if (!text.includes(id)) return [];
    return isBlock(record) ? text.split("\n").filter((line) => line.startsWith(id)) : ["change"];
  });
};

/** A body as it is, of any kind. */
const send = async (contentType: string, body: string, query = "") => {
  const { url, key } = shared.serve;
  const response = await fetch(`${url}${PATH}${query}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "content-type": contentType },
    body,
  });
  return { status: response.status, body: await response.json() };
};

describe("a batch", () => {
  test("creates, changes and deletes, and answers for each operation by its index", async () => {
    const [one, two] = [await created("one"), await created("two")];
    const answer = await run([
      create("three", { externalId: "ext-3", labels: { site: "north" } }),
      { operation: "update", signalId: one.id, name: "one more", status: "paused" },
      { operation: "delete", signalId: two.id },
    ]);
    expect(answer.summary).toEqual({ ok: 3, failed: 0 });
    expect(answer.results).toMatchObject([
      { index: 0, status: "ok", signal: { name: "three", externalId: "ext-3", status: "active" } },
      { index: 1, status: "ok", signal: { id: one.id, name: "one more", status: "paused" } },
      { index: 2, status: "ok" },
    ]);
    expect(answer.results[2]).not.toHaveProperty("signal");
    expect((await shared.serve.api.call("GET", `/v1/signals/${two.id}`)).status).toBe(404);
  });

  test("answers every mistake in its place, and none spoils another", async () => {
    const { id } = await created("mistakes");
    await created("taken", { externalId: "mistakes-taken" });
    const { results, summary } = await run([
      create("good one"),
      create("", { threshold: 2 }),
      create("floor", { floorDbm: -40 }),
      create("again", { externalId: "mistakes-taken" }),
      { operation: "update", signalId: id },
      { operation: "update", signalId: signalId(99), name: "x" },
      { operation: "delete", signalId: "nonsense" },
      { operation: "bump", signalId: id },
      { operation: "delete", signalId: id, force: true },
      "create",
      null,
      { operation: "update", signalId: id, threshold: 0.9 },
    ]);
    const failures = results.map(({ error }) => error && [error.code, error.errors?.map(({ path }) => path)]);
    expect(failures).toEqual([
      undefined,
      ["validation_failed", ["name", "threshold"]],
      ["validation_failed", ["floorDbm"]],
      ["conflict", ["externalId"]],
      ["validation_failed", [""]],
      ["not_found", undefined],
      ["validation_failed", ["signalId"]],
      ["validation_failed", ["operation"]],
      ["validation_failed", ["force"]],
      ["validation_failed", [""]],
      ["validation_failed", [""]],
      undefined,
    ]);
    expect(summary).toEqual({ ok: 2, failed: 10 });
  });

  test("changes one signal several times in order, and not after its deletion", async () => {
    const { id } = await created("several");
    const { results } = await run([
      { operation: "update", signalId: id, name: "several 1" },
      { operation: "update", signalId: id, threshold: 0.9 },
      { operation: "delete", signalId: id },
      { operation: "update", signalId: id, name: "too late" },
      { operation: "delete", signalId: id },
    ]);
    expect(results[1]).toMatchObject({ signal: { name: "several 1", threshold: 0.9 } });
    expect(results.map(({ status }) => status)).toEqual(["ok", "ok", "ok", "error", "error"]);
  });

  test("does not know the signals of another account", async () => {
    const input = SignalCreate.parse({ name: "foreign", threshold: 0.5 });
    const foreign = await shared.engines.control.signals.create(accountId(7), input);
    if (!foreign.ok) throw new Error("not made");
    const { id } = foreign.value.definition;
    const { results } = await run([
      { operation: "update", signalId: id, name: "mine" },
      { operation: "delete", signalId: id },
      { operation: "report", signalId: id, strength: -60 },
      { operation: "analyze", signalIds: [id] },
    ]);
    for (const { error } of results) expect(error?.code).toBe("not_found");
  });

  test("is all or nothing when it is atomic, and names every mistake of it", async () => {
    const { id } = await created("atomic");
    const errors = await refused([
      create("atomic new"),
      create("atomic", { threshold: "much" }),
      { operation: "update", signalId: signalId(98), name: "x" },
      { operation: "delete", signalId: id },
      { operation: "report", signalId: id, strength: -60 },
      { operation: "report", externalId: "nobody", strength: -60 },
      { operation: "analyze", signalIds: [signalId(97)] },
    ]);
    expect(errors).toEqual([
      "operations.1.threshold",
      "operations.2",
      "operations.4",
      "operations.5",
      "operations.6",
    ]);
    expect((await named("atomic")).map(({ name }) => name)).toEqual(["atomic"]);
    const answer = await run(
      [
        create("atomic new", { externalId: "at-1" }),
        { operation: "report", externalId: "at-1", strength: -60 },
      ],
      true,
    );
    expect(answer.summary).toEqual({ ok: 2, failed: 0 });
  });

  test("of lines takes an operation a line, and a line that is none for a mistake of its own", async () => {
    const lines = [create("line one"), create("line two")].map((operation) => JSON.stringify(operation));
    const body = [lines[0], "", "{broken", lines[1], '{"operation":"create","__proto__":{}}'].join("\r\n");
    const answer = await send("application/x-ndjson", body);
    expect(answer).toMatchObject({ status: 200, body: { summary: { ok: 2, failed: 2 } } });
    expect(BatchAnswer.parse(answer.body).results.map(({ status }) => status)).toEqual([
      "ok",
      "error",
      "ok",
      "error",
    ]);
    const atomic = await send("application/x-ndjson", `${lines[0]}\n{`, "?atomic=true");
    expect(atomic).toMatchObject({ status: 422, body: { errors: [{ path: "operations.1" }] } });
    const deep = `{"operation":"create","labels":${"[".repeat(40)}${"]".repeat(40)}}`;
    expect(await send("application/x-ndjson", deep)).toMatchObject({
      body: { results: [{ error: { code: "validation_failed" } }] },
    });
  });

  test("is refused as a whole when it is none, too long, or of another kind", async () => {
    const call = async (body: unknown) => (await shared.serve.api.call("POST", PATH, body)).status;
    expect(await call({})).toBe(400);
    expect(await call({ operations: [] })).toBe(400);
    expect(await call({ operations: [create("x")], dryRun: true })).toBe(400);
    expect(await call({ operations: Array(10_001).fill(1) })).toBe(400);
    expect((await send("application/x-ndjson", "\n\n")).status).toBe(400);
    expect((await send("application/x-ndjson", "1\n".repeat(10_001))).status).toBe(400);
    expect((await send("text/csv", "a,b")).status).toBe(415);
    expect(
      (await send("application/json", `{"operations":["${"x".repeat(11 * 1024 * 1024)}"]}`)).status,
    ).toBe(413);
    const { url, key } = shared.serve;
    const elsewhere = await fetch(`${url}/v1/signals`, {
      method: "POST",
      headers: { Authorization: `Bearer ${key}`, "content-type": "application/x-ndjson" },
      body: JSON.stringify({ name: "x", threshold: 0.4 }),
    });
    expect(elsewhere.status).toBe(415);
  });
});

describe("reports of a batch", () => {
  test("are durable lines of the log when they are accepted, behind the signal's own change", async () => {
    const { id } = await created("reported", { externalId: "rep-1" });
    const { results } = await run([
      { operation: "report", signalId: id, strength: -64.7, at: "2026-01-31T09:30:00+01:00" },
      { operation: "report", externalId: "rep-1", strength: -65 },
      { operation: "report", externalId: "rep-2", strength: -66 },
      create("made with it", { externalId: "rep-2" }),
    ]);
    expect(results.slice(0, 3)).toEqual([0, 1, 2].map((index) => ({ index, status: "ok", accepted: true })));
    const lines = await logged(id);
    expect(lines.slice(0, -2)).toContain("change");
    expect(lines.at(-2)).toBe(`${id}\t${Date.parse("2026-01-31T08:30:00Z")}\t-64.7`);
    expect(lines.at(-1)).toMatch(/\t-65$/);
    const made = results[3]?.signal?.id ?? "";
    const news = await logged(made);
    expect(news[0]).toBe("change");
    expect(news.at(-1)).toMatch(/\t-66$/);
  });

  test("need one name of one signal, a strength that can be, and a time that can be", async () => {
    const { id } = await created("unreported");
    const report = (fields: object) => ({ operation: "report", strength: -60, ...fields });
    const { results } = await run([
      report({}),
      report({ signalId: id, externalId: "x" }),
      report({ externalId: "nobody at all" }),
      report({ signalId: id, strength: 51 }),
      report({ signalId: id, strength: "-60" }),
      report({ signalId: id, at: "1999-12-31T23:59:59Z" }),
      report({ signalId: id, at: new Date(Date.now() + 600_000).toISOString() }),
      report({ signalId: id, at: "yesterday" }),
    ]);
    expect(results.map(({ error }) => error?.errors?.[0]?.path ?? error?.code)).toEqual([
      "signalId",
      "signalId",
      "not_found",
      "strength",
      "strength",
      "at",
      "at",
      "at",
    ]);
    // Numbers that JSON can write and a double cannot hold.
    const huge = `{"operations":[{"operation":"report","signalId":"${id}","strength":-1e999}]}`;
    expect(await send("application/json", huge)).toMatchObject({ body: { summary: { ok: 0, failed: 1 } } });
    expect(await send("application/json", huge.replace("-1e999", "NaN"))).toMatchObject({ status: 400 });
  });
});

test("analyses of a batch answer what a call of their own does", async () => {
  const readings = [0, 1, 2].map((i) => ({ at: `2026-01-31T09:0${i}:00Z`, strength: -60 - i }));
  const { results } = await run([{ operation: "analyze", readings }, { operation: "analyze" }]);
  const alone = await shared.serve.api.call("POST", "/v1/signals/analyze", { readings });
  expect(results[0]).toEqual({ index: 0, status: "ok", analysis: alone.body });
  expect(results[1]).toMatchObject({ status: "error", error: { code: "validation_failed" } });
});

test("10,000 creations in one batch are all there", async () => {
  const operations = Array.from({ length: 10_000 }, (_, i) =>
    create(`bulk ${i}`, { externalId: `bulk-${i}`, labels: { lot: "bulk", n: String(i % 10) } }),
  );
  const { results: made, summary } = await run(operations, true);
  expect(summary).toEqual({ ok: 10_000, failed: 0 });
  expect(new Set(made.map(({ signal }) => signal?.externalId)).size).toBe(10_000);
  const { results } = await run([create("one more", { externalId: "bulk-9999" })]);
  expect(results[0]?.error?.code).toBe("conflict");
});
