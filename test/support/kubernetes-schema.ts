import { validate as deployment } from "kubernetes-models/_schemas/IoK8sApiAppsV1Deployment";
import { validate as autoscaler } from "kubernetes-models/_schemas/IoK8sApiAutoscalingV2HorizontalPodAutoscaler";
import { validate as configMap } from "kubernetes-models/_schemas/IoK8sApiCoreV1ConfigMap";
import { validate as namespace } from "kubernetes-models/_schemas/IoK8sApiCoreV1Namespace";
import { validate as secret } from "kubernetes-models/_schemas/IoK8sApiCoreV1Secret";
import { validate as service } from "kubernetes-models/_schemas/IoK8sApiCoreV1Service";
import { validate as ingress } from "kubernetes-models/_schemas/IoK8sApiNetworkingV1Ingress";
import { validate as networkPolicy } from "kubernetes-models/_schemas/IoK8sApiNetworkingV1NetworkPolicy";
import { validate as budget } from "kubernetes-models/_schemas/IoK8sApiPolicyV1PodDisruptionBudget";
import type { Manifest } from "./kustomize.ts";

/** The published schemas, by what objects call themselves. */
const SCHEMAS: Readonly<Record<string, (data: unknown) => boolean>> = {
  "apps/v1 Deployment": deployment,
  "autoscaling/v2 HorizontalPodAutoscaler": autoscaler,
  "networking.k8s.io/v1 Ingress": ingress,
  "networking.k8s.io/v1 NetworkPolicy": networkPolicy,
  "policy/v1 PodDisruptionBudget": budget,
  "v1 ConfigMap": configMap,
  "v1 Namespace": namespace,
  "v1 Secret": secret,
  "v1 Service": service,
};

/** Tells of every property that is read of it, by its path; nothing else is changed. */
const watched = <T>(value: T, path: string, read: (path: string) => void): T => {
  if (typeof value !== "object" || value === null) return value;
  return new Proxy(value, {
    get: (target, name, receiver) => {
      const below = `${path}/${String(name)}`;
      read(below);
      return watched(Reflect.get(target, name, receiver), below, read);
    },
  });
};

const pathsOf = (value: unknown, path = ""): string[] =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, below]) => [
        `${path}/${name}`,
        ...pathsOf(below, `${path}/${name}`),
      ])
    : [];

/** Whether there is a schema for such an object: those of KEDA and of the Prometheus operator are not published so. */
export const hasSchema = ({ apiVersion, kind }: Manifest): boolean => `${apiVersion} ${kind}` in SCHEMAS;

/**
 * What is wrong with an object, by the published schema. It lets unknown properties pass; as it reads every known one,
 * those that it never reads are unknown.
 */
export const schemaMistakes = (manifest: Manifest): unknown[] => {
  const validate = SCHEMAS[`${manifest.apiVersion} ${manifest.kind}`];
  if (validate === undefined) return ["no schema"];
  const read = new Set<string>();
  const isValid = validate(watched(manifest, "", (path) => read.add(path)));
  const unknown = pathsOf(manifest).filter((path) => !read.has(path));
  return [
    ...(isValid ? [] : ["errors" in validate ? validate.errors : "invalid"]),
    ...unknown.map((path) => `unknown: ${path}`),
  ];
};
