import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { z } from "zod";
import { partitionCounts, TopicNames } from "../../src/adapters/kafka/topic-names.ts";
import { WORKERS } from "../../src/compose/service.ts";
import { readConfig, VARIABLES } from "../../src/config/config.ts";
import { API_KEY_BYTES, generateApiKey } from "../../src/domain/api-key.ts";
import { GROUPS } from "../../src/ports/event-log.ts";
import { ROOT, variablesIn, yamlDocuments } from "../support/deploy.ts";
import { hasSchema, schemaMistakes } from "../support/kubernetes-schema.ts";
import { Manifest, rendered } from "../support/kustomize.ts";

const hasKubectl = spawnSync("kubectl", ["version", "--client"]).status === 0;
const HERE = "deploy/kubernetes";
const BASE = rendered(`${HERE}/base`);
const EXAMPLE = rendered(`${HERE}/overlays/example`);
const SECRET = z
  .looseObject({ metadata: z.object({ name: z.string() }), stringData: z.record(z.string(), z.string()) })
  .parse(yamlDocuments(`${HERE}/base/secret.example.yaml`)[0]);
const SETTINGS = variablesIn(`${HERE}/base/settings.env`);

const Labels = z.record(z.string(), z.string());
const Probe = z.looseObject({ httpGet: z.object({ path: z.string(), port: z.string() }) });
const Container = z.looseObject({
  name: z.string(),
  args: z.array(z.string()),
  envFrom: z.array(z.object({ configMapRef: z.object({ name: z.string() }) })),
  env: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })),
  startupProbe: Probe,
  livenessProbe: Probe,
  readinessProbe: Probe,
  resources: z.object({ requests: Labels, limits: Labels }),
  lifecycle: z.object({ preStop: z.object({ sleep: z.object({ seconds: z.number() }) }) }).optional(),
  securityContext: z.looseObject({}),
  volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string(), readOnly: z.boolean() })),
});
const Deployment = Manifest.extend({
  spec: z.looseObject({
    replicas: z.number().optional(),
    selector: z.object({ matchLabels: Labels }),
    template: z.object({
      metadata: z.object({ labels: Labels }),
      spec: z.looseObject({
        terminationGracePeriodSeconds: z.number(),
        securityContext: z.looseObject({}),
        topologySpreadConstraints: z.array(z.looseObject({})),
        containers: z.tuple([Container]),
        volumes: z.array(
          z.object({
            name: z.string(),
            secret: z.object({
              secretName: z.string(),
              defaultMode: z.literal(0o440),
              items: z.array(z.object({ key: z.string(), path: z.string() })),
            }),
          }),
        ),
      }),
    }),
  }),
});
const ofKind = (manifests: readonly Manifest[], kind: string) =>
  manifests.filter((each) => each.kind === kind);
const deployments = ofKind(BASE, "Deployment").map((each) => Deployment.parse(each));
const named = deployments.map((each) => [each.metadata.name, each] as const);
const podsOf = (selector: Record<string, string>) =>
  deployments.filter(({ spec }) =>
    Object.entries(selector).every(([name, value]) => spec.template.metadata.labels[name] === value),
  );

describe("the manifests for Kubernetes", () => {
  it.each(
    [...BASE, ...EXAMPLE].filter(hasSchema).map((each) => [each.kind, each.metadata.name, each] as const),
  )("have a %s %s by the published schema", (_kind, _name, manifest) => {
    expect(schemaMistakes(manifest)).toEqual([]);
  });

  it("are told from what is no manifest", () => {
    const [deployment] = deployments;
    if (deployment === undefined) throw new Error("no deployment");
    const { spec } = deployment;
    expect(schemaMistakes({ ...deployment, spec: { ...spec, replcas: 2 } })).toEqual([
      "unknown: /spec/replcas",
    ]);
    expect(schemaMistakes({ ...deployment, spec: { ...spec, replicas: "2" } })).toHaveLength(1);
  });

  it.skipIf(!hasKubectl).each(["base", "overlays/example"])(
    "are put together in %s as kubectl does, where present",
    (directory) => {
      const text = execFileSync("kubectl", ["kustomize", join(ROOT, HERE, directory)], { encoding: "utf8" });
      // Names of generated ConfigMaps end with a hash of what is in them.
      const plain = text
        .replaceAll(/\bsettings-\w{10}$/gm, "settings")
        .replaceAll(/image: .*$/gm, "image: ours");
      const theirs = parseAllDocuments(plain).map((each) => Manifest.parse(each.toJS()));
      const ours = JSON.stringify(rendered(`${HERE}/${directory}`)).replaceAll(
        /"image":"[^"]*"/g,
        '"image":"ours"',
      );
      const sorted = (all: readonly Manifest[]) =>
        all.toSorted((a, b) => `${a.kind} ${a.metadata.name}`.localeCompare(`${b.kind} ${b.metadata.name}`));
      expect(sorted(z.array(Manifest).parse(JSON.parse(ours)))).toEqual(sorted(theirs));
    },
  );

  it("run two of each worker", () => {
    expect(named.map(([name]) => name).sort()).toEqual([...WORKERS].sort());
    for (const [name, { spec }] of named) {
      expect(spec.replicas).toBe(2);
      expect(spec.template.spec.containers[0].args).toEqual([name]);
      expect(podsOf(spec.selector.matchLabels).map(({ metadata }) => metadata.name)).toEqual([name]);
    }
  });

  it.each(named)("give %s settings and secrets that the program takes", (name, { spec }) => {
    const { containers, volumes } = spec.template.spec;
    const [{ env, envFrom, volumeMounts }] = containers;
    expect(envFrom.map(({ configMapRef }) => configMapRef.name)).toEqual(
      ofKind(BASE, "ConfigMap").map(({ metadata }) => metadata.name),
    );
    const set = new Map([...SETTINGS, ...env.map(({ name, value }) => [name, value] as const)]);
    expect([...set.keys()].filter((variable) => !VARIABLES.has(variable))).toEqual([]);
    const files = new Map<string, string>();
    for (const { name, mountPath } of volumeMounts) {
      const volume = volumes.find((each) => each.name === name);
      expect(volume?.secret.secretName).toBe(SECRET.metadata.name);
      for (const { key, path } of volume?.secret.items ?? []) {
        expect(SECRET.stringData).toHaveProperty([key]);
        files.set(join(mountPath, path), key);
      }
    }
    const contents: Record<string, string> = {
      "secret-key": "01".repeat(32),
      "bootstrap-api-key": generateApiKey(new Uint8Array(API_KEY_BYTES)),
      "kafka-password": "secret",
      "database-url": "postgres://signals:secret@postgres-rw.postgres.svc:5432/signals",
      "clickhouse-password": "secret",
      "ca.crt": "-----BEGIN CERTIFICATE-----",
    };
    const read = (path: string) => {
      const text = contents[files.get(path) ?? ""];
      if (text === undefined) throw new Error(`nothing is mounted at ${path}`);
      return text;
    };
    const role = WORKERS.find((worker) => worker === name);
    expect(readConfig({ HOST: "0.0.0.0", ...Object.fromEntries(set) }, read, role)).not.toHaveProperty(
      "mistakes",
    );
  });

  it.each(named)(
    "give %s time to drain, probes that are answered, limits, and no rights",
    (_name, { spec }) => {
      const { terminationGracePeriodSeconds, securityContext, containers, ...pod } = spec.template.spec;
      const [container] = containers;
      const drainSeconds = 10 + (container.lifecycle?.preStop.sleep.seconds ?? 0);
      expect(terminationGracePeriodSeconds).toBeGreaterThan(drainSeconds);
      for (const { httpGet } of [container.startupProbe, container.livenessProbe, container.readinessProbe]) {
        expect(["/health/live", "/health/ready"]).toContain(httpGet.path);
        expect(container.ports.map(({ name }) => name)).toContain(httpGet.port);
      }
      expect(container.livenessProbe.httpGet.path).toBe("/health/live");
      expect(Object.keys(container.resources.limits).sort()).toEqual(["cpu", "memory"]);
      expect(Object.keys(container.resources.requests).sort()).toEqual(["cpu", "memory"]);
      expect(securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: "RuntimeDefault" },
      });
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
      expect(pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
    },
  );

  it("let one pod of each worker go at a time, and spread them", () => {
    const budgets = ofKind(BASE, "PodDisruptionBudget").map((each) =>
      Manifest.extend({
        spec: z.looseObject({ maxUnavailable: z.literal(1), selector: z.object({ matchLabels: Labels }) }),
      }).parse(each),
    );
    expect(
      budgets
        .flatMap(({ spec }) => podsOf(spec.selector.matchLabels).map(({ metadata }) => metadata.name))
        .sort(),
    ).toEqual([...WORKERS].sort());
    for (const { spec } of deployments) expect(spec.template.spec.topologySpreadConstraints).toHaveLength(2);
  });

  it("lead the service, the ingress and the policies to pods that are there", () => {
    const Service = Manifest.extend({
      spec: z.object({
        selector: Labels,
        ports: z.array(z.looseObject({ name: z.string(), targetPort: z.string() })),
      }),
    });
    const [service] = ofKind(EXAMPLE, "Service").map((each) => Service.parse(each));
    const [pods] = podsOf(service?.spec.selector ?? {});
    expect(pods?.metadata.name).toBe("serve");
    expect(pods?.spec.template.spec.containers[0].ports.map(({ name }) => name)).toContain(
      service?.spec.ports[0]?.targetPort,
    );
    const backend = { name: service?.metadata.name, port: { name: service?.spec.ports[0]?.name } };
    expect(JSON.stringify(ofKind(EXAMPLE, "Ingress"))).toContain(JSON.stringify(backend));
    for (const policy of ofKind(EXAMPLE, "NetworkPolicy")) {
      const { spec } = z
        .looseObject({ spec: z.looseObject({ podSelector: z.object({ matchLabels: Labels }) }) })
        .parse(policy);
      expect(podsOf(spec.podSelector.matchLabels).length).toBeGreaterThan(0);
    }
  });
});

describe("autoscaling", () => {
  const Target = z.looseObject({ scaleTargetRef: z.looseObject({ name: z.string() }) });
  const targets = [...ofKind(EXAMPLE, "HorizontalPodAutoscaler"), ...ofKind(EXAMPLE, "ScaledObject")].map(
    (each) => Target.parse(each.spec).scaleTargetRef.name,
  );

  it("leaves the number of pods of what it scales to the cluster, and keeps that of others", () => {
    const fixed = ofKind(EXAMPLE, "Deployment")
      .map((each) => Deployment.parse(each))
      .filter(({ spec }) => spec.replicas !== undefined);
    expect([...targets, ...fixed.map(({ metadata }) => metadata.name)].sort()).toEqual([...WORKERS].sort());
    expect(fixed.map(({ metadata }) => metadata.name)).toEqual(["deliver"]);
  });

  it("watches the lag of groups and topics that the program has on Kafka, up to as many pods as partitions", () => {
    const outcome = readConfig({ KAFKA_BROKERS: "a:1" }, () => "");
    if ("mistakes" in outcome) throw new Error("not read");
    const prefix = SETTINGS.get("KAFKA_TOPIC_PREFIX") ?? outcome.config.engines.kafka?.topicPrefix ?? "";
    const names = new TopicNames(prefix, partitionCounts({}));
    const Scaled = z.looseObject({
      scaleTargetRef: z.object({ name: z.string(), envSourceContainerName: z.literal("worker") }),
      maxReplicaCount: z.literal(Number(SETTINGS.get("PARTITIONS"))),
      triggers: z.array(z.looseObject({ type: z.string(), metadata: z.record(z.string(), z.string()) })),
    });
    for (const { spec } of ofKind(EXAMPLE, "ScaledObject")) {
      const { scaleTargetRef, triggers } = Scaled.parse(spec);
      const group = z.enum(["evaluate", "record"]).parse(scaleTargetRef.name);
      expect(triggers.find(({ type }) => type === "kafka")?.metadata).toMatchObject({
        bootstrapServersFromEnv: "KAFKA_BROKERS",
        consumerGroup: names.group(GROUPS[group]),
        topic: names.of("readings"),
      });
    }
    expect(SETTINGS.has("KAFKA_BROKERS")).toBe(true);
  });

  it("takes its credentials from where the workers have theirs", () => {
    const [{ spec } = { spec: {} }] = ofKind(EXAMPLE, "TriggerAuthentication");
    const { env, secretTargetRef } = z
      .object({
        env: z.array(
          z.object({ parameter: z.string(), name: z.string(), containerName: z.literal("worker") }),
        ),
        secretTargetRef: z.array(z.object({ parameter: z.string(), name: z.string(), key: z.string() })),
      })
      .parse(spec);
    for (const { name } of env) expect(SETTINGS.has(name)).toBe(true);
    for (const { name, key } of secretTargetRef) {
      expect(name).toBe(SECRET.metadata.name);
      expect(SECRET.stringData).toHaveProperty([key]);
    }
  });
});

it("has every pod scraped, serve with a key", () => {
  const Monitor = z.looseObject({
    selector: z.looseObject({
      matchLabels: Labels,
      matchExpressions: z
        .array(z.object({ key: z.string(), operator: z.literal("NotIn"), values: z.array(z.string()) }))
        .default([]),
    }),
    podMetricsEndpoints: z.tuple([
      z.looseObject({
        port: z.literal("http"),
        path: z.literal("/metrics"),
        authorization: z.object({ credentials: z.object({ name: z.string(), key: z.string() }) }).optional(),
      }),
    ]),
  });
  const monitors = ofKind(EXAMPLE, "PodMonitor").map((each) => Monitor.parse(each.spec));
  const scraped = monitors.flatMap(({ selector, podMetricsEndpoints: [endpoint] }) =>
    podsOf(selector.matchLabels)
      .filter(({ spec }) =>
        selector.matchExpressions.every(
          ({ key, values }) => !values.includes(spec.template.metadata.labels[key] ?? ""),
        ),
      )
      .map(({ metadata }) => [metadata.name, endpoint.authorization?.credentials.key] as const),
  );
  expect(scraped.map(([name]) => name).sort()).toEqual([...WORKERS].sort());
  expect(scraped.filter(([, key]) => key !== undefined)).toEqual([["serve", "bootstrap-api-key"]]);
  expect(SECRET.stringData).toHaveProperty(["bootstrap-api-key"]);
});
