import { existsSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { ROOT, variablesIn, yamlDocuments } from "./deploy.ts";

/** An object of Kubernetes. */
export const Manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), labels: z.record(z.string(), z.string()).optional() }),
});
export type Manifest = z.infer<typeof Manifest>;

const Operation = z.object({
  op: z.enum(["remove", "replace"]),
  path: z.string(),
  value: z.unknown().optional(),
});
const Kustomization = z.strictObject({
  apiVersion: z.string(),
  kind: z.enum(["Kustomization", "Component"]),
  namespace: z.string().optional(),
  resources: z.array(z.string()).default([]),
  components: z.array(z.string()).default([]),
  images: z.array(z.looseObject({ name: z.string() })).default([]),
  configMapGenerator: z
    .array(
      z.strictObject({
        name: z.string(),
        behavior: z.literal("merge").optional(),
        envs: z.array(z.string()).default([]),
        literals: z.array(z.string()).default([]),
      }),
    )
    .default([]),
  patches: z
    .array(
      z.strictObject({
        target: z.object({ kind: z.string(), name: z.string().optional() }),
        path: z.string().optional(),
        patch: z.string().optional(),
      }),
    )
    .default([]),
});
type Patch = z.infer<typeof Kustomization>["patches"][number];

/** By what the items of a list are known, where lists of Kubernetes are merged (`x-kubernetes-patch-merge-key`). */
const KEYS: Readonly<Record<string, string>> = {
  containers: "name",
  env: "name",
  volumes: "name",
  ports: "containerPort",
  volumeMounts: "mountPath",
};
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const mergedLists = (under: readonly unknown[], over: readonly unknown[], key: string): unknown[] => {
  const keyOf = (item: unknown) => (isObject(item) ? item[key] : item);
  const changed = under.map((item) => {
    const change = over.find((other) => keyOf(other) === keyOf(item));
    return change === undefined ? item : merged(item, change);
  });
  return [...over.filter((item) => !under.some((other) => keyOf(other) === keyOf(item))), ...changed];
};

/** A strategic merge, as far as these files need it. */
const merged = (under: unknown, over: unknown): unknown => {
  if (!isObject(under) || !isObject(over)) return over;
  const result: Record<string, unknown> = { ...under };
  for (const [name, value] of Object.entries(over)) {
    const before = result[name];
    const key = KEYS[name];
    const areLists = Array.isArray(before) && Array.isArray(value) && key !== undefined;
    result[name] = areLists
      ? mergedLists(before, value, key)
      : before === undefined
        ? value
        : merged(before, value);
  }
  return result;
};

/** Throws where there is nothing at the path. */
const operated = (value: unknown, [head = "", ...rest]: readonly string[], to: unknown): unknown => {
  if (Array.isArray(value))
    return value.map((item, i) => (String(i) === head ? operated(item, rest, to) : item));
  if (!isObject(value) || !(head in value)) throw new Error(`nothing at ${head}`);
  const { [head]: before, ...others } = value;
  if (rest.length > 0) return { ...others, [head]: operated(before, rest, to) };
  return to === undefined ? others : { ...others, [head]: to };
};

const patched = (directory: string, manifests: readonly Manifest[], { target, path, patch }: Patch) => {
  const names = new RegExp(`^(${target.name ?? ".*"})$`);
  return manifests.map((manifest) => {
    const { kind, metadata } = manifest;
    if (kind !== target.kind || !names.test(metadata.name)) return manifest;
    if (path !== undefined) {
      const [over] = yamlDocuments(join(directory, path));
      const { apiVersion, kind, metadata, ...rest } = Manifest.parse(over);
      return Manifest.parse(merged(manifest, rest));
    }
    const steps = z.array(Operation).parse(parse(patch ?? ""));
    return steps.reduce(
      (value, step) => Manifest.parse(operated(value, step.path.split("/").slice(1), step.value)),
      manifest,
    );
  });
};

/** What `kubectl kustomize` makes of a directory; the names of generated ConfigMaps are left as they are, images too. */
export const rendered = (directory: string, given: readonly Manifest[] = []): Manifest[] => {
  const [document] = yamlDocuments(join(directory, "kustomization.yaml"));
  const { namespace, resources, components, configMapGenerator, patches } = Kustomization.parse(document);
  let manifests = [...given];
  for (const resource of resources) {
    const path = join(directory, resource);
    if (existsSync(join(ROOT, path, "kustomization.yaml"))) manifests.push(...rendered(path));
    else manifests.push(...yamlDocuments(path).map((each) => Manifest.parse(each)));
  }
  for (const { name, behavior, envs, literals } of configMapGenerator) {
    const own = literals.map((literal) =>
      z.tuple([z.string(), z.string()]).parse(literal.split(/=(.*)/s).slice(0, 2)),
    );
    const data = Object.fromEntries([
      ...envs.flatMap((path) => [...variablesIn(join(directory, path))]),
      ...own,
    ]);
    if (behavior === "merge")
      manifests = manifests.map((each) =>
        each.kind === "ConfigMap" && each.metadata.name === name
          ? Manifest.parse(merged(each, { data }))
          : each,
      );
    else manifests.push(Manifest.parse({ apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data }));
  }
  for (const component of components) manifests = rendered(join(directory, component), manifests);
  for (const patch of patches) manifests = patched(directory, manifests, patch);
  const isNamespaced = ({ kind }: Manifest) => namespace !== undefined && kind !== "Namespace";
  return manifests.map((each) =>
    isNamespaced(each) ? { ...each, metadata: { ...each.metadata, namespace } } : each,
  );
};
