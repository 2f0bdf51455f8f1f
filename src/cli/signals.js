#!/usr/bin/env -S node --disable-warning=ExperimentalWarning
// The command line as it stands, in TypeScript: Node strips its types, but not under node_modules, where an installed
// package lies; there this does it. An older Node hands over to the one that a checkout has installed.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import nodeModule from "node:module";
import { fileURLToPath } from "node:url";

const MAIN = new URL("./main.ts", import.meta.url);
const OWN_NODE = fileURLToPath(new URL("../../node_modules/node/bin/node", import.meta.url));

const stripped = (url, context, nextLoad) => {
  if (!url.startsWith("file:") || !url.endsWith(".ts")) return nextLoad(url, context);
  const source = nodeModule.stripTypeScriptTypes(readFileSync(fileURLToPath(url), "utf8"));
  return { format: "module", source, shortCircuit: true };
};

if (process.features.typescript) {
  if (MAIN.pathname.includes("/node_modules/")) nodeModule.registerHooks({ load: stripped });
  await import(MAIN.href);
} else if (existsSync(OWN_NODE)) {
  const program = ["--disable-warning=ExperimentalWarning", fileURLToPath(import.meta.url)];
  const child = spawn(OWN_NODE, [...program, ...process.argv.slice(2)], { stdio: "inherit" });
  // Whoever ends this process means the other one; a terminal tells both of Ctrl-C, and twice would be once too often.
  const isTyped = [process.stdin, process.stdout, process.stderr].some(({ isTTY }) => isTTY);
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  process.on("SIGINT", () => isTyped || child.kill("SIGINT"));
  child.once("close", (code) => process.exit(code ?? 2));
} else {
  process.stderr.write(`signals: this is Node ${process.versions.node}; Node 22.18 or later is needed\n`);
  process.exitCode = 2;
}
