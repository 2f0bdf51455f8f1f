import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFailed, onTestFinished, test } from "vitest";
import { EventId } from "../../schemas/common.ts";
import { identityHeaders } from "../../src/domain/webhooks/plain-headers.ts";
import { sampleEvent } from "../../src/domain/webhooks/sample-event.ts";
import { signatureHeaders } from "../../src/domain/webhooks/signature.ts";
import { temporaryDirectory } from "../support/directory.ts";
import { until } from "../support/until.ts";

const SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const OTHER = "whsec_HwECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const EXAMPLES = new URL("../../src/receiver/examples/", import.meta.url).pathname;
const START_MAX_MS = 60_000;

const isThere = (program: string, ...words: string[]) => spawnSync(program, words).status === 0;
const node = (file: string) => async (): Promise<[string, string[]]> => [
  process.execPath,
  ["--disable-warning=ExperimentalWarning", `${EXAMPLES}${file}`],
];
/** What is made of it is a program in a directory of its own, so that killing it leaves nothing behind. */
const go = async (): Promise<[string, string[]]> => {
  const directory = await temporaryDirectory();
  const program = join(directory, "receiver");
  const env = { ...process.env, GOFLAGS: "", GOTOOLCHAIN: "local", GO111MODULE: "off" };
  const vetted = spawnSync("go", ["vet", "receiver.go"], { cwd: EXAMPLES, env });
  expect(vetted.status, String(vetted.stderr)).toBe(0);
  const built = spawnSync("go", ["build", "-o", program, "receiver.go"], { cwd: EXAMPLES, env });
  expect(built.status, String(built.stderr)).toBe(0);
  return [program, []];
};

const started = async (command: () => Promise<[string, string[]]>) => {
  const [program, words] = await command();
  const child: ChildProcess = spawn(program, words, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, WEBHOOK_SECRET: SECRET, PORT: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  // Of the connection that breaks off it tells at length: of interest when the test fails, and noise otherwise.
  let complaints = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    complaints += text;
  });
  onTestFailed(() => void process.stderr.write(complaints));
  let printed = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  const port = await until(
    "it to listen",
    () => /listening .*port.?: (\d+)/.exec(printed.replaceAll("\n", " "))?.[1],
    START_MAX_MS,
  );
  return {
    url: `http://127.0.0.1:${port}/hook`,
    lines: () => printed.split("\n").filter((line) => line.startsWith("signal.")),
    refusals: () => complaints.split("\n").filter((line) => line.includes("refused: ")).length,
  };
};

/** Resets the connection amid the body, as anybody can. */
const brokenOff = async (url: string) => {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  await new Promise((sent) => {
    socket.write("POST /hook HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n{", sent);
  });
  socket.resetAndDestroy();
};

const idOf = (n: number) => EventId.parse(`evt_${String(n).padStart(26, "0")}`);
const post = async (
  url: string,
  n: number,
  secrets: Parameters<typeof signatureHeaders>[0],
  more: { atMs?: number; body?: string } = {},
) => {
  const id = idOf(n);
  const atMs = more.atMs ?? Date.now();
  // Not ASCII alone: what is signed is bytes.
  const event = sampleEvent("signal.failed", id, atMs);
  const body = JSON.stringify({
    ...event,
    data: { ...event.data, signal: { ...event.data.signal, name: "Küche ✓" } },
  });
  const headers = { ...identityHeaders(id, atMs), ...signatureHeaders(secrets, id, atMs, body) };
  const response = await fetch(url, { method: "POST", headers, body: more.body ?? body });
  return response.status;
};

describe.each([
  ["with our function, in Node", node("receiver.ts"), true],
  ["with the package standardwebhooks, in Node", node("receiver-standardwebhooks.ts"), true],
  [
    "in Python, where present",
    async (): Promise<[string, string[]]> => ["python3", [`${EXAMPLES}receiver.py`]],
    isThere("python3", "--version"),
  ],
  ["in Go, where present", go, isThere("go", "version")],
] as const)("the receiver %s", (_, command, isPresent) => {
  test.skipIf(!isPresent)(
    "takes what the service sends, once, and nothing else",
    async () => {
      const { url, lines, refusals } = await started(command);
      const current = { secret: SECRET, previous: null };
      const statuses = [
        await post(url, 1, current),
        // Sent again.
        await post(url, 1, current),
        // While secrets are rotated, this one being the old or the new one.
        await post(url, 2, { secret: OTHER, previous: SECRET }),
        await post(url, 3, { secret: SECRET, previous: OTHER }),
        await post(url, 4, { secret: OTHER, previous: null }),
        await post(url, 5, current, { body: '{"event":"signal.failed"}' }),
        await post(url, 6, current, { atMs: Date.now() - 600_000 }),
        await post(url, 7, current, { atMs: Date.now() + 600_000 }),
      ];
      expect(statuses).toEqual([204, 204, 204, 204, 401, 401, 401, 401]);
      await brokenOff(url);
      // It notices a while after; the more it has answered since, the surer it is to live.
      for (let n = 0; n < 20; n++) {
        const unsigned = await fetch(url, { method: "POST", body: "{}", headers: { connection: "close" } });
        expect(unsigned.status).toBe(401);
      }
      // Whoever looks at it sees why nothing comes.
      await until("each refusal to be told", () => refusals() === 24);
      expect(lines()).toEqual([1, 2, 3].map((n) => `signal.failed ${idOf(n)} 2`));
    },
    120_000,
  );

  test.skipIf(!isPresent)(
    "does not start without a secret, with which anybody could sign",
    async () => {
      const [program, words] = await command();
      const env = { PATH: process.env.PATH, HOME: process.env.HOME, PORT: "0" };
      const { status, stdout } = spawnSync(program, words, { env, encoding: "utf8", timeout: START_MAX_MS });
      expect({ hasFailed: status !== 0 && status !== null, stdout }).toEqual({ hasFailed: true, stdout: "" });
    },
    120_000,
  );
});
