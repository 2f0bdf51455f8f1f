import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir } from "node:fs/promises";
import { createServer } from "node:http";
import { delimiter, dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { isApiKey } from "../../src/domain/api-key.ts";
import { copiesOf, type Stage, stagesOf } from "../support/containerfile.ts";
import { fileText, ROOT } from "../support/deploy.ts";
import { temporaryDirectory } from "../support/directory.ts";

const STAGES = stagesOf("deploy/Containerfile");
const LAST = STAGES.at(-1);
const words = (stage: Stage | undefined, instruction: string): string | undefined =>
  stage?.instructions.findLast(({ name }) => name === instruction)?.text;
const commandOf = (text: string | undefined): string[] =>
  z.array(z.string()).parse(JSON.parse(/\[.*\]/.exec(text ?? "")?.[0] ?? "[]"));

/** How the package registry is reached from here. */
const NETWORK = /^(https?_proxy|no_proxy|node_extra_ca_certs|npm_config_registry)$/i;
const network = Object.fromEntries(Object.entries(process.env).filter(([name]) => NETWORK.test(name)));

/** Runs to the end, with nothing of this process's own settings in its environment. */
const run = (command: readonly string[], cwd: string, environment: Record<string, string> = {}) =>
  new Promise<{ code: number | string; output: string }>((resolve) => {
    const [program = "", ...args] = command;
    const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
    const inherited = { ...network, PATH, HOME: process.env.HOME ?? "", npm_config_prefer_offline: "true" };
    execFile(program, args, { cwd, env: { ...inherited, ...environment } }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    );
  });

it("runs the major version of Node that the tests run on", () => {
  for (const { image } of STAGES) expect(image).toContain(`node:${process.versions.node.split(".")[0]}-`);
});

it("ends as a user with a number that is not root's, with a health check", () => {
  expect(words(LAST, "USER")).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  expect(words(LAST, "HEALTHCHECK")).toMatch(/CMD \["node", /);
});

it("copies only what exists and what the build may see", () => {
  const ignored = fileText(".dockerignore").split("\n");
  for (const stage of STAGES)
    for (const { from, sources } of copiesOf(stage)) {
      if (from !== null) expect(STAGES.map(({ name }) => name)).toContain(from);
      else
        for (const source of sources) {
          expect(existsSync(join(ROOT, source)), source).toBe(true);
          expect(ignored).toContain(`!${source}`);
        }
    }
  expect(ignored).toContain("*");
});

/** What the build would do, in a directory instead of an image. */
const build = async (): Promise<string> => {
  const root = await temporaryDirectory();
  const placeOf = (name: string | null) => join(root, name ?? "image");
  for (const stage of STAGES) {
    const place = placeOf(stage.name);
    await mkdir(place, { recursive: true });
    for (const { name, text } of stage.instructions) {
      if (name === "COPY")
        for (const { from, sources, target } of copiesOf({ ...stage, instructions: [{ name, text }] }))
          for (const source of sources) {
            const origin =
              from === null ? join(ROOT, source) : join(placeOf(from), source.replace("/app/", ""));
            const onto = target.endsWith("/") ? join(place, target, source) : join(place, target);
            await cp(origin, onto, { recursive: true });
          }
      if (name === "RUN") expect(await run(["sh", "-c", text], place)).toMatchObject({ code: 0 });
    }
  }
  return placeOf(null);
};

const NOWHERE = {
  KAFKA_BROKERS: "127.0.0.1:1",
  DATABASE_URL: "postgres://signals:secret@127.0.0.1:1/signals",
  CLICKHOUSE_URL: "http://127.0.0.1:1",
  SECRET_KEY: "01".repeat(32),
  TRUST_PROXY: "true",
  PUBLIC_URL: "https://signals.example.org",
};

it("holds a worker that starts without the embedded engines, and says what it lacks", async () => {
  const image = await build();
  for (const embedded of ["lmdb", "chdb"])
    expect(existsSync(join(image, "node_modules", embedded))).toBe(false);
  const entry = commandOf(words(LAST, "ENTRYPOINT"));
  const unset = await run([...entry, "serve"], image);
  expect(unset).toMatchObject({ code: 1, output: expect.stringContaining("KAFKA_BROKERS") });
  const away = await run([...entry, "serve"], image, NOWHERE);
  expect(away.output).toMatch(/cannot start\.\n.*(Kafka|PostgreSQL|ClickHouse) at 127\.0\.0\.1:1 /);
  expect(away.output).not.toMatch(/Cannot find|MODULE_NOT_FOUND/);
  expect(away.code).toBe(1);
  const key = await run(["node", "deploy/container/new-api-key.ts"], image);
  expect(isApiKey(key.output.trim())).toBe(true);
});

it("tells by its health check whether the worker answers", async () => {
  const check = commandOf(words(LAST, "HEALTHCHECK"));
  const asked: (string | undefined)[] = [];
  const server = createServer(({ url }, response) => {
    asked.push(url);
    response.writeHead(url === "/health/live" ? 200 : 503).end();
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = z.object({ port: z.number() }).parse(server.address());
  const set = { HOST: "0.0.0.0", PORT: String(port) };
  expect(await run(check, ROOT, set)).toMatchObject({ code: 0 });
  expect(await run([...check, "/health/ready"], ROOT, set)).toMatchObject({ code: 1 });
  expect(asked).toEqual(["/health/live", "/health/ready"]);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  expect(await run(check, ROOT, set)).toMatchObject({ code: 1 });
});
