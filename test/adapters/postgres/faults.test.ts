import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { clientConfig } from "../../../src/adapters/postgres/settings.ts";
import { type ControlStore, ControlUnavailableError } from "../../../src/ports/control-store.ts";
import { aRule, aSignal, MINE, succeeded } from "../../conformance/control-store/examples.ts";
import { asked, newSchema, openTestControl, postgresToKill } from "../../support/postgres.ts";
import { testTelemetry } from "../../support/telemetry.ts";
import { until } from "../../support/until.ts";

const server = await postgresToKill();
type Options = Partial<Parameters<typeof openTestControl>[0]>;

const opened = async (options: Options = {}) => {
  const url = options.url ?? (await newSchema(server.url()));
  const store = await openTestControl({ ...options, url });
  onTestFinished(() => store.close());
  return { url, store };
};

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error: unknown) => error,
  );

const works = (store: ControlStore) =>
  store.facts.set("a", "b").then(
    () => true,
    () => false,
  );

describe("control data on PostgreSQL in trouble", () => {
  it.each([
    ["stopped at once", () => server.stopAtOnce()],
    ["killed", () => server.kill()],
  ])("is down while the server is %s, says why, and goes on by itself", async (_how, stop) => {
    const telemetry = testTelemetry();
    const { store } = await opened({ telemetry });
    const { definition } = succeeded(await store.signals.create(MINE, aSignal()));
    await stop();
    const error = await failureOf(store.signals.get(MINE, definition.id));
    expect(error).toBeInstanceOf(ControlUnavailableError);
    expect(store.health()).toMatchObject({ name: "control", state: "down" });
    expect(store.health().detail).toMatch(/^PostgreSQL: the server /);
    expect((await telemetry.metrics.expose()).text).toMatch(/control_unavailable_total [1-9]/);
    await server.start();
    await until("health to be well, though nobody asks", () => store.health().state === "ok");
    expect((await store.signals.get(MINE, definition.id))?.definition).toEqual(definition);
  });

  it("notices the end of a connection that nobody uses", async () => {
    const { store } = await opened();
    await Promise.all(Array.from({ length: 5 }, () => store.facts.get("a")));
    await server.stopAtOnce();
    await until("it to be told", () => store.health().state === "down");
    await server.start();
    await until("it to be well", () => store.health().state === "ok");
  });

  it("loses nothing that was told to be written, whatever moment the server is killed at", async () => {
    const { store } = await opened();
    const told: string[] = [];
    let writing = true;
    const writers = Array.from({ length: 8 }, async () => {
      while (writing) {
        const changed = await store.signals.create(MINE, aSignal()).catch(() => null);
        if (changed !== null) told.push(succeeded(changed).definition.id);
      }
    });
    for (const rounds of [1, 2, 3]) {
      const before = told.length;
      await until("writes", () => told.length > before + 30 * rounds);
      await server.kill();
      await server.start();
    }
    writing = false;
    await Promise.all(writers);
    const stored = new Set<string>(
      (await store.signals.all(null, 100_000)).map(({ definition }) => definition.id),
    );
    expect(told.filter((id) => !stored.has(id))).toEqual([]);
    const rows = await store.outbox.read(0, 100_000);
    expect(rows.map(({ position }) => position)).toEqual(rows.map((_, index) => index + 1));
    expect(rows).toHaveLength(stored.size);
  });

  it("does not wait for a server that stands still for longer than it says, and uses it again afterwards", async () => {
    const { store } = await opened({ limits: { answerMs: 1_000 } });
    await store.facts.set("a", "b");
    await server.freeze();
    const error = await failureOf(store.facts.get("a")).finally(() => server.thaw());
    expect(String(error)).toContain("the server does not answer");
    await until("it to work", () => works(store));
  });

  it("is down while the server takes no writes, and leaves its sessions for new ones when it does again", async () => {
    const { store, url } = await opened();
    await store.facts.set("a", "b");
    const everySession =
      "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()";
    await asked(url, "alter user signals set default_transaction_read_only = on");
    await asked(url, everySession);
    await until("it to be told", async () => {
      await store.facts.set("a", "c").catch(() => undefined);
      return store.health().detail?.includes("takes no writes");
    });
    await asked(url, "set transaction read write; alter user signals reset default_transaction_read_only");
    await until("it to work", () => works(store));
    expect(store.health().state).toBe("ok");
  });

  it("takes no more callers than it can hold, and names a pool that is too small", async () => {
    const { store, url } = await opened({ connectionsMax: 2, limits: { lockMs: 500, connectMs: 600 } });
    await store.facts.set("a", "b");
    const blocker = new pg.Client(url);
    await blocker.connect();
    onTestFinished(() => blocker.end());
    await blocker.query("begin; lock table fact in access exclusive mode");
    const reads = Array.from({ length: 10_001 }, () => failureOf(store.facts.get("a")));
    expect(String(await reads.at(-1))).toContain("10000 callers wait for it already");
    const others = await Promise.all(reads.slice(0, 10_000));
    const words = new Set(others.map((error) => /cannot be used: (.*)$/.exec(String(error))?.[1]));
    expect([...words].sort()).toEqual([
      "a row stayed locked for too long",
      "no connection came free in time: raise DATABASE_CONNECTIONS",
    ]);
    await blocker.query("rollback");
    expect(await works(store)).toBe(true);
  });

  it("ends the transaction of one that stands still in its middle, so that others go on", async () => {
    const { store, url } = await opened();
    // What a process leaves behind that is frozen between two statements: a row that every change needs stays locked.
    const other = new pg.Client(clientConfig({ url, ca: null }, { idleInTransactionMs: 500 }));
    other.on("error", () => undefined);
    await other.connect();
    await other.query("begin; update outbox_counter set position = position where name = 'written'");
    succeeded(await store.rules.create(MINE, aRule()));
    const [setting] = await asked<{ count: string }>(
      url,
      "select count(*) from pg_stat_activity where state = 'idle in transaction'",
    );
    expect(setting?.count).toBe("0");
  }, 20_000);

  it("does a transaction again that the server gave up for another's sake", async () => {
    const { store, url } = await opened();
    const made = await Promise.all([1, 2].map(() => store.signals.create(MINE, aSignal())));
    const ids = made.map((changed) => succeeded(changed).definition.id).sort();
    const project = (sequence: number) =>
      store.signalStates.project(
        ids.map((signalId) => ({ signalId, sequence, status: "failed" as const, reasons: [] })),
      );
    await project(1);
    // It takes the second row, and then the first, while the projection has the first and waits for the second.
    const other = new pg.Client(url);
    await other.connect();
    onTestFinished(() => other.end());
    const lock = (id: string | undefined) =>
      other.query("select 1 from signal_state where signal_id = $1 for update", [id]);
    await other.query("set deadlock_timeout = '60s'");
    await other.query("begin");
    await lock(ids[1]);
    const projecting = project(2);
    const waiting = "select 1 from pg_stat_activity where wait_event_type = 'Lock'";
    await until("the projection to wait", async () => (await asked(url, waiting)).length > 0);
    await lock(ids[0]);
    await other.query("commit");
    await projecting;
    expect((await store.signals.all(null, 10)).map(({ sequence }) => sequence)).toEqual([2, 2]);
    expect(await server.printed()).toContain("deadlock detected");
  });
});

describe("a name held on PostgreSQL", () => {
  const holder = async (url: string) => {
    const program = join(import.meta.dirname, "hold-a-lock.ts");
    const child = spawn(process.execPath, [program, url, "relay"], { stdio: ["ignore", "pipe", "inherit"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    await until("it to be held", () => said === "held\n");
    return { child, said: () => said };
  };

  it("is another's soon after its holder was killed", async () => {
    const { store, url } = await opened();
    const { child } = await holder(url);
    expect(await store.locks.tryLock("relay")).toBeNull();
    child.kill("SIGKILL");
    await once(child, "exit");
    await until("it to be free", () => store.locks.tryLock("relay"));
  });

  it("is another's some seconds after its holder froze, who learns of it when it wakes", async () => {
    const { store, url } = await opened();
    const { child, said } = await holder(url);
    child.kill("SIGSTOP");
    await until("it to be free", () => store.locks.tryLock("relay"));
    child.kill("SIGCONT");
    await until("the sleeper to know", () => said().includes("lost"));
  }, 20_000);

  it("is lost with the server, and can be had again after it", async () => {
    const { store } = await opened();
    const lock = await store.locks.tryLock("relay");
    await server.stopAtOnce();
    await until("the loss", () => lock?.lost.aborted);
    expect(await failureOf(store.locks.tryLock("relay"))).toBeInstanceOf(ControlUnavailableError);
    await server.start();
    await until("it to be had", () => store.locks.tryLock("relay").catch(() => null));
    await lock?.release();
    expect(await store.locks.tryLock("relay")).toBeNull();
  });
});
