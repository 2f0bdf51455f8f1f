import { execFileSync } from "node:child_process";
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

/** Without what a bench itself leaves: results and the table made of them. */
const commit = (): string => {
  const changed = said(
    "git",
    "status",
    "--porcelain",
    "--untracked-files=no",
    "--",
    ".",
    ":!bench/results",
    ":!bench/README.md",
  );
  return `${said("git", "rev-parse", "--short", "HEAD")}${changed === "" ? "" : "-dirty"}`;
};

/** What a figure was measured on; the load over the last minute tells of others beside the bench. */
export const machine = () => ({
  cpu: cpus()[0]?.model.trim() ?? "unknown",
  cores: cpus().length,
  memoryGib: Math.round(totalmem() / 1024 ** 3),
  loadAverage: Number(loadavg()[0]?.toFixed(1)),
  commit: commit(),
});

/** Of what does the work. The embedded engine is asked itself: its package has numbers of its own. */
export const versions = () => ({
  node: process.version,
  chdb: versionOf("chdb"),
  clickHouse: said(process.execPath, "-p", 'require("chdb").query("SELECT version()", "TSVRaw").trim()'),
  lmdb: versionOf("lmdb"),
  kafkajs: versionOf("kafkajs"),
  kafka: KAFKA_VERSION,
});
