import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { checkServer } from "../../../src/adapters/postgres/server-check.ts";
import { PostgresStartError } from "../../../src/adapters/postgres/start-error.ts";
import { freePorts } from "../../support/free-ports.ts";
import { portOf } from "../../support/port.ts";
import { asked, newSchema, openTestControl, postgresToKill } from "../../support/postgres.ts";
import { POSTGRES_USER } from "../../support/postgres-server.ts";

const server = await postgresToKill();
const pem = (name: string) => readFile(join(import.meta.dirname, "../../support/tls", name), "utf8");

const refusal = async (options: Parameters<typeof openTestControl>[0]): Promise<PostgresStartError> => {
  const error = await openTestControl(options).then(
    (store) => store.close(),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(PostgresStartError);
  if (!(error instanceof PostgresStartError)) throw error;
  expect(error.message).not.toContain(POSTGRES_USER.password);
  expect(error.message).not.toContain("wrong-secret");
  return error;
};

describe("a start on PostgreSQL that cannot be", () => {
  it.each([
    ["a wrong password", { user: POSTGRES_USER.user, password: "wrong-secret" }, undefined],
    ["an unknown user", { user: "nobody", password: "wrong-secret" }, undefined],
  ])("names %s", async (_what, login) => {
    const error = await refusal({ url: server.url(login) });
    expect(error.problem).toBe("postgres_credentials_refused");
    expect(error.message).toContain(`refuses the user "${login.user}"`);
    expect(error.message).toContain("\nCheck the user and the password in DATABASE_URL");
  });

  it("names a database that is not there", async () => {
    const error = await refusal({ url: server.url(POSTGRES_USER, "nowhere") });
    expect(error.problem).toBe("postgres_database_unknown");
    expect(error.message).toContain('has no database "nowhere"');
  });

  it("names a server that nobody reaches, by port, by name, and by silence", async () => {
    const [port = 0] = await freePorts(1);
    const closed = await refusal({ url: `postgres://a:b@127.0.0.1:${port}/c` });
    expect([closed.problem, closed.message]).toEqual([
      "postgres_unreachable",
      `PostgreSQL at 127.0.0.1:${port} cannot be reached: connect ECONNREFUSED 127.0.0.1:${port}.\nCheck DATABASE_URL, that the server runs, and the network between.`,
    ]);
    const unnamed = await refusal({ url: "postgres://a:b@database.invalid/c" });
    expect(unnamed.message).toMatch(/^There is no host of that name: PostgreSQL at database\.invalid/);
    const mute = createServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    mute.listen(0, "127.0.0.1");
    onTestFinished(() => void mute.close());
    await new Promise((resolve) => mute.once("listening", resolve));
    const stranger = await refusal({ url: `postgres://a:b@127.0.0.1:${portOf(mute)}/c` });
    expect(stranger.problem).toBe("postgres_unreachable");
  });

  it("goes on over TLS whose certificate is the one given, and names any other", async () => {
    const url = await newSchema(server.url());
    const store = await openTestControl({ url, ca: await pem("cert.pem") });
    await store.facts.set("a", "b");
    const rows = await asked<{ ssl: boolean }>(
      url,
      `select ssl from pg_stat_ssl join pg_stat_activity using (pid) where application_name = 'signal-optimization-service'`,
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.every(({ ssl }) => ssl)).toBe(true);
    await store.close();
    const untrusted = await refusal({ url: `${url}&sslmode=verify-full` });
    expect(untrusted.problem).toBe("postgres_tls_failed");
    expect(untrusted.message).toContain("Check DATABASE_CA_FILE");
  });

  it("names a user who may not make tables", async () => {
    const login = { user: "guest", password: "guest" };
    await asked(server.url(), "create user guest password 'guest'");
    const error = await refusal({ url: server.url(login) });
    expect(error.problem).toBe("postgres_not_authorised");
    expect(error.message).toContain('does not let the user "guest" do what the service needs');
  });

  it("names a search path that leads nowhere", async () => {
    const url = new URL(server.url());
    url.searchParams.set("options", "-c search_path=nowhere");
    expect((await refusal({ url: url.href })).message).toContain("search_path (nowhere)");
  });

  it("names a server that takes no writes, and a database that does not keep every text", async () => {
    const url = new URL(server.url());
    url.searchParams.set("options", "-c default_transaction_read_only=on");
    expect((await refusal({ url: url.href })).problem).toBe("postgres_read_only");
    await asked(server.url(), "create database latin encoding 'LATIN1' template template0");
    const latin = await refusal({ url: server.url(POSTGRES_USER, "latin") });
    expect(latin.problem).toBe("postgres_encoding_unsuitable");
  });

  it("names a server that is too old", async () => {
    const facts = { version: 140_011, versionText: "14.11", schema: "public", path: "", readOnly: false };
    const query = async () => ({ rows: [{ ...facts, encoding: "UTF8", commitsLazily: false }] });
    await expect(checkServer({ query })).rejects.toThrow(
      "This is PostgreSQL 14.11; the service needs 15 or newer.",
    );
  });
});

describe("a start on PostgreSQL", () => {
  it("migrates once, however many processes start together", async () => {
    const url = await newSchema(server.url());
    const stores = await Promise.all(Array.from({ length: 8 }, () => openTestControl({ url })));
    const ids = await Promise.all(stores.map(({ accounts }) => accounts.first()));
    expect(new Set(ids.map(({ id }) => id)).size).toBe(1);
    await Promise.all(stores.map((store) => store.close()));
  });

  it("refuses tables that a newer program has made", async () => {
    const url = await newSchema(server.url());
    await (await openTestControl({ url })).close();
    await asked(url, "insert into control_migration (name, timestamp) values ('9999-later', '2030-01-01')");
    await expect(openTestControl({ url })).rejects.toThrow(
      "the control data is newer than this program: it has 9999-later; start a newer version of the service",
    );
  });

  it("commits durably on a server that is set to commit lazily", async () => {
    const url = await newSchema(server.url());
    await asked(url, "alter user signals set synchronous_commit = off");
    onTestFinished(async () => {
      await asked(url, "alter user signals reset synchronous_commit");
    });
    const store = await openTestControl({ url });
    onTestFinished(() => store.close());
    await asked(url, "create table kept (setting text)");
    await asked(
      url,
      `create function keep() returns trigger language plpgsql as $$
         begin insert into kept values (current_setting('synchronous_commit')); return new; end $$`,
    );
    await asked(url, "create trigger keeping before insert on fact for each row execute function keep()");
    await store.facts.set("a", "b");
    expect(await asked(url, "select distinct setting from kept")).toEqual([{ setting: "on" }]);
  });

  it("keeps text in the order of its code points whatever the database's locale", async () => {
    const url = await newSchema(server.url());
    const store = await openTestControl({ url });
    onTestFinished(() => store.close());
    const rows = await asked(
      url,
      `select distinct collation_name from information_schema.columns
       where table_schema = current_schema() and table_name = 'signal' and data_type = 'text'`,
    );
    expect(rows).toEqual([{ collation_name: "C" }]);
  });
});
