import { createServer } from "node:net";
import { inspect } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ClickHouseAccess } from "../../../src/adapters/clickhouse/server-transport.ts";
import { ClickHouseStartError } from "../../../src/adapters/clickhouse/start-error.ts";
import type { Logger, Telemetry } from "../../../src/ports/telemetry.ts";
import { answeringServer, exception, type Given } from "../../support/answering-server.ts";
import { accessTo, clickHouseToKill, openTestServer } from "../../support/clickhouse.ts";
import { CLICKHOUSE_LOGIN } from "../../support/clickhouse-server.ts";
import { freePorts } from "../../support/free-ports.ts";
import { portOf } from "../../support/port.ts";
import { testTelemetry } from "../../support/telemetry.ts";
import { frontCertificate, tlsFront } from "../../support/tls-front.ts";

const server = await clickHouseToKill();
const SECRET = "correct horse battery staple";

const listening = (): { telemetry: Telemetry; lines: string[] } => {
  const lines: string[] = [];
  const line = (fields: object, message: string) => {
    lines.push(inspect({ message, ...fields }, { depth: null }));
  };
  const log: Logger = { debug: line, info: line, warn: line, error: line, child: () => log };
  return { telemetry: { ...testTelemetry(), log }, lines };
};

/** What a start says that is refused: soon, and without the password. */
const refusal = async (access: ClickHouseAccess): Promise<{ problem: string; message: string }> => {
  const { telemetry, lines } = listening();
  const error: unknown = await openTestServer(access, { telemetry, retryForMs: 300 }).then(
    (timeSeries) => timeSeries.close(),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ClickHouseStartError)) throw error ?? new Error("it was opened");
  const everything = `${inspect(error, { depth: null, showHidden: true })}${lines.join("")}`;
  expect(everything).not.toContain(access.password);
  expect(everything).not.toContain(Buffer.from(`${access.user}:${access.password}`).toString("base64"));
  return { problem: error.problem, message: error.message };
};

/** A ClickHouse that answers some queries in its own way, and is otherwise new and well. */
const far = (answers: Readonly<Record<string, Given | string>>) =>
  answeringServer(({ query }) => {
    const own = Object.entries(answers).find(([part]) => query.includes(part));
    if (own !== undefined) return own[1];
    return query.includes("version()") ? '["26.7.2.1"]\n' : "";
  });

describe("a start is refused by name, with what to do about it", () => {
  test("where nobody listens", async () => {
    const [port] = await freePorts(1);
    const { problem, message } = await refusal(accessTo({ url: `http://127.0.0.1:${port}` }));
    expect(problem).toBe("clickhouse_unreachable");
    expect(message).toMatch(/^ClickHouse at 127\.0\.0\.1:\d+ cannot be reached: .*ECONNREFUSED/);
    expect(message).toMatch(/Check CLICKHOUSE_URL \(its HTTP port is usually 8123\)/);
  });

  test("where somebody listens and never answers", async () => {
    const silent = createServer((socket) => socket.on("error", () => undefined));
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      silent.close();
    });
    const { problem, message } = await refusal(accessTo({ url: `http://127.0.0.1:${portOf(silent)}` }));
    expect(problem).toBe("clickhouse_unreachable");
    expect(message).toContain("Timeout error");
  });

  test("where there is no host of that name", async () => {
    const { problem, message } = await refusal(accessTo({ url: "http://nowhere.invalid:8123" }));
    expect(problem).toBe("clickhouse_unreachable");
    expect(message).toContain("There is no host of that name: check CLICKHOUSE_URL.");
  });

  test.each([{ password: SECRET }, { user: "nobody", password: SECRET }])(
    "with a wrong login %o",
    async (login) => {
      const { problem, message } = await refusal(accessTo(server, login));
      expect(problem).toBe("clickhouse_credentials_refused");
      expect(message).toContain(`refused the user "${login.user ?? CLICKHOUSE_LOGIN.user}": code 516`);
      expect(message).toContain("Check CLICKHOUSE_USER and CLICKHOUSE_PASSWORD.");
    },
  );

  test("with a certificate that nobody known has signed; with its authority it is taken", async () => {
    const url = await tlsFront(server.url);
    const { problem, message } = await refusal(accessTo({ url }));
    expect(problem).toBe("clickhouse_tls_failed");
    expect(message).toMatch(/SELF_SIGNED_CERT[\s\S]*Set CLICKHOUSE_CA_FILE/);
    const timeSeries = await openTestServer(accessTo({ url }, { ca: await frontCertificate() }));
    expect(timeSeries.health().state).toBe("ok");
    await timeSeries.close();
  });

  test("with TLS where there is none, and without where there is", async () => {
    const withTls = await refusal(accessTo({ url: server.url.replace("http:", "https:") }));
    expect(withTls.problem).toBe("clickhouse_tls_failed");
    expect(withTls.message).toContain("without it CLICKHOUSE_URL begins with http://");
    const without = await refusal(accessTo({ url: (await tlsFront(server.url)).replace("https:", "http:") }));
    expect(without.problem).toBe("clickhouse_unreachable");
    expect(without.message).toContain("begin CLICKHOUSE_URL with https://");
  });

  test("where the user may not make the database, or may not use it", async () => {
    const words = "test: Not enough privileges. To execute this query, it's necessary to have the grant";
    const denied = exception(497, `${words} CREATE DATABASE ON signals.*`, "ACCESS_DENIED");
    const { problem, message } = await refusal(accessTo(await far({ "CREATE DATABASE": denied })));
    expect(problem).toBe("clickhouse_not_permitted");
    expect(message).toContain('does not let the user "test" use the database "signals"');
    expect(message).toContain("necessary to have the grant CREATE DATABASE ON signals.*");
    expect(message).toContain("GRANT SELECT, INSERT, ALTER, CREATE ON signals.* TO test;");
    const readOnly = exception(164, "Cannot execute query in readonly mode", "READONLY");
    expect((await refusal(accessTo(await far({ "CREATE TABLE": readOnly })))).problem).toBe(
      "clickhouse_not_permitted",
    );
  });

  test.each(["24.3.1.2672", "25.7.9.1"])("where the version is %s", async (version) => {
    const { problem, message } = await refusal(accessTo(await far({ "version()": `["${version}"]\n` })));
    expect(problem).toBe("clickhouse_too_old");
    expect(message).toMatch(/is version 2\d\.\d; the service needs 25\.8 or later\.\nUpdate it\./);
  });

  test.each([
    { body: "<html>Welcome to nginx!</html>" },
    { status: 404, body: "<html>Not found</html>" },
    { status: 502, body: "" },
    { body: '{"number":"8.1.0"}\n' },
  ])("where something else answers %o", async (given) => {
    const { url } = await answeringServer(() => given);
    const { problem, message } = await refusal(accessTo({ url }));
    expect(problem).toBe("clickhouse_not_clickhouse");
    expect(message).toMatch(/What answers is no ClickHouse: 127\.0\.0\.1:\d+[\s\S]*Check CLICKHOUSE_URL/);
  });

  test("where what answers does not speak HTTP", async () => {
    const other = createServer((socket) =>
      socket.on("error", () => undefined).end("SSH-2.0-OpenSSH_9.2\r\n"),
    );
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      other.close();
    });
    const { problem } = await refusal(accessTo({ url: `http://127.0.0.1:${portOf(other)}` }));
    expect(problem).toBe("clickhouse_not_clickhouse");
  });

  test("where the cluster is not known, has several shards, or its replicas cannot be told apart", async () => {
    const cluster = { cluster: "main" };
    const unknown = await refusal(accessTo(await far({ "system.clusters": '["default",1,1]\n' }), cluster));
    expect(unknown.problem).toBe("clickhouse_cluster_unsuitable");
    expect(unknown.message).toContain('knows no cluster "main"; it knows: default.');
    const shards = await refusal(accessTo(await far({ "system.clusters": '["main",3,6]\n' }), cluster));
    expect(shards.problem).toBe("clickhouse_cluster_unsuitable");
    expect(shards.message).toContain("has 3 shards; the service needs one");
    const one = { "system.clusters": '["main",1,1]\n', "system.macros": '["replica"]\n' };
    const macros = await refusal(accessTo(await far(one), cluster));
    expect(macros.problem).toBe("clickhouse_cluster_unsuitable");
    expect(macros.message).toContain("has no macro shard");
  });

  test("where tables are there that were made for one server, or for a cluster", async () => {
    const cluster = { "system.clusters": '["main",1,1]\n', "system.macros": '["shard"]\n["replica"]\n' };
    const plain = await far({ ...cluster, "DISTINCT engine": '["MergeTree"]\n["ReplacingMergeTree"]\n' });
    const single = await refusal(accessTo(plain, { cluster: "main" }));
    expect(single.problem).toBe("clickhouse_cluster_unsuitable");
    expect(single.message).toMatch(/made without a cluster[\s\S]*Unset CLICKHOUSE_CLUSTER/);
    const replicated = await far({ "DISTINCT engine": '["ReplicatedMergeTree"]\n' });
    const clustered = await refusal(accessTo(replicated));
    expect(clustered.problem).toBe("clickhouse_cluster_unsuitable");
    expect(clustered.message).toMatch(/are replicated over a cluster[\s\S]*Set CLICKHOUSE_CLUSTER/);
  });

  test("where it fails otherwise, with what it says", async () => {
    const full = exception(243, "Cannot reserve 1.00 MiB, not enough space", "NOT_ENOUGH_SPACE");
    const { problem, message } = await refusal(accessTo(await far({ "CREATE TABLE": full })));
    expect(problem).toBe("clickhouse_failed");
    expect(message).toContain("code 243: Cannot reserve 1.00 MiB, not enough space");
  });
});
