import { mkdir, writeFile } from "node:fs/promises";
import { api } from "./api.ts";
import { backtest } from "./backtest.ts";
import { evaluate } from "./evaluate.ts";
import { fanout } from "./fanout.ts";
import { idle } from "./idle.ts";
import { latency } from "./latency.ts";
import { lists } from "./lists.ts";
import { machine } from "./machine.ts";
import { throughput } from "./throughput.ts";
import { webhooks } from "./webhooks.ts";

/** Each measures something and gives what is printed and kept. */
const BENCHES = { api, backtest, evaluate, fanout, idle, latency, lists, throughput, webhooks };

const isBench = (name: string): name is keyof typeof BENCHES => name in BENCHES;

const names = process.argv.slice(2).filter((name) => !name.startsWith("-"));
if (names.length === 0) {
  console.log(
    `Name what to measure: ${Object.keys(BENCHES).join(", ")}. For example: npm run bench -- latency`,
  );
  console.log("Each takes about two minutes, and writes its figures to bench/results/.");
  process.exit();
}
const unknown = names.filter((name) => !isBench(name));
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(", ")}. There are: ${Object.keys(BENCHES).join(", ")}.`);
  process.exit(1);
}
const results = new URL("./results/", import.meta.url);
await mkdir(results, { recursive: true });
for (const name of names.filter(isBench)) {
  const result = await BENCHES[name]();
  const kept = { bench: name, at: new Date().toISOString(), machine: machine(), ...result };
  await writeFile(new URL(`${name}.json`, results), `${JSON.stringify(kept, null, 2)}\n`);
}
