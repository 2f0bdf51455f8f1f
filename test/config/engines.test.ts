import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Role, readConfig } from "../../src/config/config.ts";

const PEM = new URL("../support/tls/", import.meta.url);
const SECRET_KEY = "01".repeat(32);
const read = (environment: Record<string, string>, role: Role = "all") =>
  readConfig(environment, (path) => readFileSync(new URL(path, PEM), "utf8"), role);
const wrong = (environment: Record<string, string>, role: Role = "all") => {
  const outcome = read(environment, role);
  return "mistakes" in outcome ? outcome.mistakes.map(({ variable }) => variable).sort() : [];
};
const enginesOf = (environment: Record<string, string>, role: Role = "all") => {
  const outcome = read(environment, role);
  if ("mistakes" in outcome) throw new Error(JSON.stringify(outcome.mistakes));
  return outcome.config.engines;
};

const KAFKA_BROKERS = "a.example:9092, [::1]:9093";
const DATABASE_URL = "postgres://me:hunter2@db.example/signals";
const CLICKHOUSE_URL = "https://ch.example:8443";
const everything = { KAFKA_BROKERS, DATABASE_URL, CLICKHOUSE_URL, SECRET_KEY };

describe("engines beyond one machine", () => {
  it("are embedded unless their address is set, each by itself", () => {
    expect(enginesOf({})).toEqual({ kafka: null, postgres: null, clickHouse: null });
    expect(enginesOf({ CLICKHOUSE_URL })).toEqual({
      kafka: null,
      postgres: null,
      clickHouse: {
        url: CLICKHOUSE_URL,
        user: "default",
        password: "",
        database: "signals",
        cluster: null,
        ca: null,
      },
    });
  });

  it("take brokers as a list, with TLS and credentials", () => {
    const { kafka } = enginesOf({
      KAFKA_BROKERS,
      KAFKA_TLS: "true",
      KAFKA_CA_FILE: "cert.pem",
      KAFKA_SASL: "scram-sha-512",
      KAFKA_USER: "me",
      KAFKA_PASSWORD: "hunter2",
      KAFKA_REPLICATION: "2",
    });
    expect(kafka).toEqual({
      brokers: ["a.example:9092", "[::1]:9093"],
      topicPrefix: "signals.",
      replication: 2,
      tls: { ca: readFileSync(new URL("cert.pem", PEM), "utf8") },
      sasl: { mechanism: "scram-sha-512", username: "me", password: "hunter2" },
    });
  });

  it.each([
    [{ KAFKA_BROKERS: "a.example" }, ["KAFKA_BROKERS"]],
    [{ KAFKA_BROKERS: "a:9092,b:99999x" }, ["KAFKA_BROKERS"]],
    [{ KAFKA_BROKERS, KAFKA_SASL: "plain", KAFKA_USER: "me" }, ["KAFKA_PASSWORD"]],
    [{ KAFKA_BROKERS, KAFKA_CA_FILE: "cert.pem" }, ["KAFKA_CA_FILE"]],
    [{ KAFKA_BROKERS, KAFKA_TLS: "true", KAFKA_CA_FILE: "key.pem" }, ["KAFKA_CA_FILE"]],
    [{ KAFKA_BROKERS, KAFKA_TLS: "true", KAFKA_CERT_FILE: "cert.pem" }, ["KAFKA_KEY_FILE"]],
    [{ KAFKA_TOPIC_PREFIX: "x." }, ["KAFKA_TOPIC_PREFIX"]],
    [{ DATABASE_URL: "mysql://db/x", SECRET_KEY }, ["DATABASE_URL"]],
    [{ DATABASE_URL }, ["SECRET_KEY"]],
    [{ CLICKHOUSE_URL: "ch.example:8123" }, ["CLICKHOUSE_URL"]],
    [{ CLICKHOUSE_URL: "http://me:hunter2@ch.example" }, ["CLICKHOUSE_URL"]],
    [{ CLICKHOUSE_PASSWORD: "hunter2" }, ["CLICKHOUSE_PASSWORD"]],
  ])("refuse %o, naming what is wrong", (environment: Record<string, string>, variables) => {
    expect(wrong(environment)).toEqual(variables);
    const outcome = read(environment);
    expect(JSON.stringify(outcome)).not.toContain("hunter2");
  });

  it("are needed, all three, by a worker alone, and so is the key that they share", () => {
    expect(wrong({}, "ingest")).toEqual(["CLICKHOUSE_URL", "DATABASE_URL", "KAFKA_BROKERS", "SECRET_KEY"]);
    expect(wrong(everything, "ingest")).toEqual([]);
  });

  it("leave out the demo unless it is asked for", () => {
    expect(read(everything)).toMatchObject({ config: { DEMO: false } });
    expect(read({ ...everything, DEMO: "true" })).toMatchObject({ config: { DEMO: true } });
  });

  it("let a worker without an API listen anywhere, and serve only where keys are safe", () => {
    expect(wrong({ ...everything, HOST: "0.0.0.0" }, "record")).toEqual([]);
    expect(wrong({ ...everything, HOST: "0.0.0.0" }, "serve")).toEqual(["HOST"]);
  });
});
