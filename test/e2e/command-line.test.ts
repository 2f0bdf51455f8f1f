import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Alert } from "../../schemas/alert.ts";
import { BacktestAnswer } from "../../schemas/backtest.ts";
import { SignalServiceEvent } from "../../schemas/event.ts";
import { Signal } from "../../schemas/signal.ts";
import { SilenceAnswer } from "../../schemas/silence.ts";
import { SourceTestAnswer } from "../../schemas/source-actions.ts";
import { LiveReading } from "../../schemas/stream.ts";
import { type ApiClient, createClient } from "../../src/client/client.ts";
import { CommandLine } from "../support/command-line.ts";
import { temporaryDirectory } from "../support/directory.ts";
import { freePorts } from "../support/free-ports.ts";
import { LineServer } from "../support/line-server.ts";
import { newApiKey, Service } from "../support/service-process.ts";
import { until } from "../support/until.ts";

const ROOT = new URL("../..", import.meta.url).pathname;
const WAIT_MS = 60_000;
const apiKey = newApiKey();
let service: Service;
let dataDirectory: string;
let client: ApiClient;
let environment: Record<string, string>;

const signals = (...words: string[]) => new CommandLine(words, environment);
const ended = (...words: string[]) => signals(...words).ended;
const push = (sourceId: string, id: string, rssi: number) =>
  client.post("/v1/integrations/sources/{id}/push", {
    params: { path: { id: sourceId } },
    body: { id, rssi },
  });
const newSource = async (name: string, labels: Record<string, string>): Promise<string> => {
  const body = { type: "push" as const, name, defaults: { labels } };
  return (await client.post("/v1/integrations/sources", { body })).id;
};

beforeAll(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), "sos-cli-"));
  service = new Service({ dataDirectory, apiKey, environment: { DEMO: "false" } });
  const url = await service.ready();
  client = createClient({ url, apiKey });
  environment = { SIGNALS_URL: url, SIGNALS_API_KEY: apiKey };
}, WAIT_MS);
afterAll(async () => {
  await service.end("SIGKILL");
  await rm(dataDirectory, { recursive: true, force: true, maxRetries: 5 });
});

describe("signals list", () => {
  it("shows signals with their newest strengths, those that are asked for", async () => {
    const id = await newSource("listed", { hall: "7" });
    await push(id, "roof", -42.25);
    await push(id, "cellar", -99);
    await until("the strengths", async () => {
      const { out } = await ended("list", "--label", "hall:7");
      return (
        /^active {2}roof .*-42\.3 dBm {2}100 % /m.test(out) && /^failed {2}cellar .* -99\.0 dBm/m.test(out)
      );
    });
    const failed = await ended("list", "--label", "hall:7", "--status", "failed", "--json");
    expect(failed).toMatchObject({ code: 0, err: "" });
    expect(Signal.parse(JSON.parse(failed.out)).name).toBe("cellar");
    const none = await ended("list", "--q", "nowhere");
    expect(none).toEqual({ code: 0, out: "", err: "no signals\n" });
  });

  it("shows no character that would steer a terminal, and colours on none but one", async () => {
    const name = "evil\u001b[2Jname";
    await client.post("/v1/signals", { body: { name, threshold: 0.4, labels: { kind: "evil" } } });
    const { out } = await ended("list", "--label", "kind:evil");
    expect(out).toContain("evil\ufffd[2Jname");
    expect(out).not.toContain("\u001b");
  });
});

describe("signals rule", () => {
  it("says when a rule would have fired, and why it does or does not", async () => {
    const at = Date.now() - 3_600_000;
    const body = { name: "attic", threshold: 0, noDataAfterSeconds: null, labels: { floor: "5" } };
    const [{ id: signalId } = { id: "" }] = (await client.post("/v1/signals", { body })).signals;
    const operations = [-60, -90.5, -60, -60].map((strength, i) => ({
      operation: "report" as const,
      signalId,
      strength,
      at: new Date(at + i * 60_000).toISOString(),
    }));
    await client.post("/v1/signals/batch", { body: { operations } });
    const path = join(await temporaryDirectory(), "weak.yaml");
    await writeFile(
      path,
      "name: weak\nselect: { labels: { floor: '5' } }\ncondition: { operator: below, value: -80 }\n",
    );
    const tested = await until("the readings to be stored", async () => {
      const ran = await ended("rule", "backtest", path, "--from", "2h");
      return ran.code !== 0 || ran.out.includes("in 4 readings") ? ran : null;
    });
    expect(tested).toMatchObject({ code: 0, err: "" });
    expect(tested.out).toMatch(/^FROM +FOR +WORST {2}SEVERITY {2}SIGNAL$/m);
    expect(tested.out).toMatch(/^\S+Z +60 s +-90\.5 {2}warning {3}attic$/m);
    expect(tested.out).toContain("would have fired 1 time on 1 signal, of 1 signal selected");
    expect(tested.out).toContain("note: Every reading is taken as if it had come at its own time");

    const rule = {
      name: "weak",
      select: { signalIds: [signalId] },
      condition: { operator: "below" as const, value: -80 },
    };
    const { id } = await client.post("/v1/alerts/rules", { body: rule });
    const json = await ended("rule", "backtest", id, "--from", "2h", "--json");
    expect(BacktestAnswer.parse(JSON.parse(json.out)).summary.firings).toBe(1);
    const explained = await ended(
      "rule",
      "explain",
      id,
      signalId,
      "--at",
      new Date(at + 61_000).toISOString(),
    );
    expect(explained.out).toContain("firing: It fired, from");
    await client.delete("/v1/alerts/rules/{id}", { params: { path: { id } } });
  });

  it("names what is wrong with a rule, a moment or an id", async () => {
    const path = join(await temporaryDirectory(), "never.yaml");
    await writeFile(path, "name: never\ncondition:\n  operator: below\n  value: -300\n");
    const never = await ended("rule", "backtest", path, "--from", "1d");
    expect(never).toMatchObject({ code: 2, out: "" });
    expect(never.err).toContain("condition.value");
    expect(await ended("rule", "backtest", path, "--from", "soon")).toMatchObject({
      code: 2,
      err: expect.stringContaining("--from is no moment: soon"),
    });
    const id = "rul_01JDA2V3Q8R5T7W9Y1B3D5F7H9";
    expect((await ended("rule", "backtest", id, "--from", "1d")).err).toContain(
      "there is no rule of this id",
    );
  });
});

describe("signals alerts and silence", () => {
  it("show what fires, and keep it from being delivered until it has resolved", async () => {
    const id = await newSource("alerting", { hall: "alerts" });
    const select = { labels: { hall: "alerts" } };
    const condition = { metric: "strength" as const, operator: "below" as const, value: -75 };
    const body = { name: "far too weak", select, condition };
    const rule = await client.post("/v1/alerts/rules", { body });
    await push(id, "mast", -99);
    await until("the alert", async () => {
      const { out } = await ended("alerts", "--firing");
      return /^firing {4}warning {3}\S{24} {2}far too weak {2}mast {2}alr_\w{26}$/m.test(out);
    });
    const made = await ended(
      "silence",
      "create",
      "--label",
      "hall:alerts",
      "--reason",
      "on my way",
      "--json",
    );
    expect([made.code, made.err]).toEqual([0, ""]);
    const silence = SilenceAnswer.parse(JSON.parse(made.out));
    expect(silence).toMatchObject({ state: "active", select, untilResolved: true });
    const listed = await ended("silence", "list");
    expect(listed.out).toBe(`active   until resolved            ${silence.id}  on my way\n`);
    await push(id, "mast", -42);
    await until("the end of it", async () => /^expired {2}/.test((await ended("silence", "list")).out));
    const { out } = await ended("alerts", "--json");
    expect(Alert.parse(JSON.parse(out))).toMatchObject({ state: "resolved", value: -42 });
    expect(await ended("silence", "end", silence.id)).toEqual({ code: 0, out: "", err: "" });
    expect(await ended("silence", "list")).toEqual({ code: 0, out: "", err: "no silences\n" });
    const idle = await ended(
      "silence",
      "create",
      "--label",
      "hall:nowhere",
      "--for",
      "5m",
      "--reason",
      "typo",
    );
    expect(idle.err).toMatch(/^warning: select: /);
    const wrong = await ended("silence", "create", "--for", "soon", "--reason", "x");
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining("90m")]);
    await client.delete("/v1/alerts/rules/{id}", { params: { path: { id: rule.id } } });
  });
});

describe("signals tail", () => {
  it("shows readings and events as they happen, by label, until Ctrl-C", async () => {
    const near = await newSource("near", { tail: "yes" });
    const far = await newSource("far", { tail: "no" });
    await push(near, "near-1", -40);
    await push(far, "far-1", -40);
    const shown = signals("tail", "--label", "tail:yes");
    await until(
      "the newest value",
      () => /-40\.0 dBm {2}100 % {2}active {2}near-1$/m.test(shown.out),
      WAIT_MS,
    );
    await push(far, "far-1", -99);
    await push(near, "near-1", -98);
    await until("the failure", () => /signal\.failed {14}near-1$/m.test(shown.out), WAIT_MS);
    await until("the reading", () => /-98\.0 dBm {4}4 % {2}failed {2}near-1$/m.test(shown.out));
    shown.interrupt();
    expect(await shown.ended).toMatchObject({ code: 0, err: "" });
    expect(shown.out).not.toContain("far-1");
  });

  it("gives JSON a line, and events from after one that is named", async () => {
    const id = await newSource("json", { json: "yes" });
    await push(id, "json-1", -40);
    await push(id, "json-1", -99);
    const events = await until("two events", async () => {
      const query = { limit: 500 };
      const listed = await client.get("/v1/events", { params: { query } });
      const own = listed.events.filter(({ data }) => data.signal?.name === "json-1");
      return own.length === 2 ? own : null;
    });
    const after = events[0]?.id ?? "";
    const told = signals("tail", "--json", "--only", "events", "--after", after);
    await until("an event", () => told.lines.length > 0, WAIT_MS);
    expect(SignalServiceEvent.parse(JSON.parse(told.lines[0] ?? ""))).toEqual(events[1]);
    const readings = signals("tail", "--json", "--only", "readings", "--label", "json:yes");
    await until("a reading", () => readings.lines.length > 0, WAIT_MS);
    expect(LiveReading.parse(JSON.parse(readings.lines[0] ?? ""))).toMatchObject({ strength: -99 });
  });

  it("ends when nobody reads it any more", async () => {
    const id = await newSource("pipe", { pipe: "yes" });
    await push(id, "piped", -40);
    const shown = signals("tail", "--only", "readings", "--label", "pipe:yes");
    await until("a reading", () => shown.lines.length > 0, WAIT_MS);
    shown.stopReading();
    let hasEnded = false;
    const end = shown.ended.then((how) => {
      hasEnded = true;
      return how;
    });
    const another = async () => {
      await push(id, "piped", -41);
      return hasEnded;
    };
    await until("its end", another, WAIT_MS);
    expect((await end).code).toBe(0);
  });
});

describe("signals source test", () => {
  it("shows what a source sends and what it maps to, and stores nothing", async () => {
    const far = await LineServer.start(['{"id":"a","rssi":-61.5}', '{"id":"b","rssi":"weak"}']);
    far.sendUpTo(2);
    const source = `type: websocket\nname: tried\nurl: ${far.url}\n`;
    const shown = await signals("source", "test", "-").type(source).ended;
    expect(shown).toMatchObject({ code: 0, err: "" });
    expect(shown.out).toMatch(/^ {4}-61\.5 dBm {2}\S+Z {2}a$/m);
    expect(shown.out).toMatch(/^ {2}strength_not_a_number {2}/m);
    expect(shown.out).toMatch(/^connected; 2 messages and 1 readings in /m);
    const { sources } = await client.get("/v1/integrations/sources", { params: { query: { limit: 500 } } });
    expect(sources.map(({ name }) => name)).not.toContain("tried");
  });

  it("ends with 1 where the source does not work", async () => {
    const [port] = await freePorts(1);
    const source = JSON.stringify({ type: "websocket", name: "gone", url: `ws://127.0.0.1:${port}` });
    const shown = await signals("source", "test", "-", "--json").type(source).ended;
    expect(shown.code).toBe(1);
    expect(SourceTestAnswer.parse(JSON.parse(shown.out)).connected).toBe(false);
  });
});

const FILE = `
signals:
  - externalId: file-1
    name: Roof antenna
    threshold: 0.4
sources:
  - name: gateway
    type: websocket
    enabled: false
    url: wss://feed.example/signals?token=\${GATEWAY_TOKEN}
    headers: { Authorization: "Bearer \${GATEWAY_TOKEN}" }
rules:
  - name: weak
    condition: { operator: below, value: -75 }
    forSeconds: 30
webhooks:
  - name: pager
    url: https://pager.example/hook
    events: [signal.failed]
`;

describe("signals config", () => {
  const config = async (text: string, ...words: string[]) => {
    const path = join(await temporaryDirectory(), "signals.yaml");
    await writeFile(path, text);
    const set = { ...environment, GATEWAY_TOKEN: "hush-hush", CONFIG_FILE: path };
    return new CommandLine(["config", ...words], set).ended;
  };

  it("makes the service what the file says, once, and shows before what it would do", async () => {
    const all = "+ signal file-1\n+ source gateway\n+ rule weak\n+ webhook pager\n";
    expect(await config(FILE, "diff")).toEqual({ code: 1, out: all, err: "" });
    expect(await config(FILE, "apply")).toEqual({ code: 0, out: all, err: "4 changed\n" });
    const nothing = "nothing to change; 2 secrets not compared (--secrets sends them again)\n";
    expect(await config(FILE, "apply")).toEqual({ code: 0, out: "", err: nothing });
    expect(await config(FILE, "diff")).toEqual({ code: 0, out: "", err: nothing });

    const changed = FILE.replace("-75", "-80").replace("0.4", "0.5").replace("/hook", "/hooks");
    const change = await config(changed, "apply");
    expect(change.out).toContain("~ signal file-1\n    threshold: 0.4 → 0.5\n");
    expect(change.out).toMatch(/~ rule weak\n {4}condition: .*-75.* → .*-80/);
    expect(change.out).toContain(
      '~ webhook pager\n    url: "https://pager.example/hook" → "https://pager.example/hooks"\n',
    );
    const { rules } = await client.get("/v1/alerts/rules", {});
    expect(rules).toMatchObject([{ name: "weak", condition: { value: -80 }, forSeconds: 30 }]);

    const secrets = await config(changed, "diff", "--secrets", "--json");
    expect(secrets.err).toBe("");
    expect(JSON.parse(secrets.out)).toMatchObject({
      action: "update",
      kind: "sources",
      fields: [{ field: "url" }, { field: "headers" }],
    });
    expect(JSON.stringify([change, secrets])).not.toContain("hush-hush");

    const pruned = await config(changed.replace(/rules:[\s\S]*/, ""), "apply", "--prune");
    expect(pruned.out).toMatch(/^- webhook pager\n- rule weak$/m);
    expect((await client.get("/v1/alerts/rules", {})).rules).toEqual([]);
    expect((await client.get("/v1/integrations/webhooks", {})).webhooks).toEqual([]);
  }, 240_000);

  it("says of the demo that it is the demo, before it is deleted", async () => {
    await newSource("ours", {});
    const body = { type: "simulator" as const, name: "Demo", enabled: false };
    const { id } = await client.post("/v1/integrations/sources", { body });
    const { out } = await config("sources: []", "diff", "--prune");
    expect(out).toMatch(/^- source Demo \(the demo that the first start added\)$/m);
    expect(out).toMatch(/^- source ours$/m);
    await client.delete("/v1/integrations/sources/{id}", { params: { path: { id } } });
  }, 240_000);

  it("names every mistake in a file with its line, and changes nothing", async () => {
    const wrong = "signals:\n  - name: a\n    threshold: 7\n  - name: b\n    treshold: 0.1\n";
    const { code, out, err } = await config(wrong, "apply");
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(/line 3: signals\.0\.threshold: /);
    expect(err).toMatch(/line 5: signals\.1\.treshold: is not a known field/);
    expect((await config("signals: [", "diff")).err).toContain("line 1: ");
    const twice = "rules:\n  - &r { name: a, condition: { operator: below, value: -70 } }\n  - *r\n";
    expect((await config(twice, "diff")).err).toContain("line 3: rules.1: a is there twice");
    await client.post("/v1/integrations/sources", { body: { type: "push", name: "settled" } });
    const other = await config("sources: [{ name: settled, type: simulator }]", "apply");
    expect(other.err).toMatch(/source settled: it is of type push, which cannot become simulator/);
    const unset = `sources: [{ name: a, type: websocket, url: 'wss://\${NOT_SET}' }]`;
    expect((await config(unset, "diff")).err).toContain("set NOT_SET");
  }, 240_000);
});

describe("what cannot be done", () => {
  it.each([
    ["no key", { SIGNALS_API_KEY: "" }, ["list"], /SIGNALS_API_KEY is not set, and nobody[^\n]*\n {2}Set it/],
    [
      "a wrong key",
      { SIGNALS_API_KEY: newApiKey() },
      ["tail"],
      /401 unauthorized[\s\S]*request req_[\s\S]*SIGNALS_API_KEY/,
    ],
    [
      "a service that is not there",
      { SIGNALS_URL: "http://127.0.0.1:9" },
      ["list"],
      /cannot be reached: its port is none for HTTP[\s\S]*SIGNALS_URL/,
    ],
    ["no address", { SIGNALS_URL: "localhost:8080" }, ["list"], /SIGNALS_URL is no address/],
    [
      "the address of the API",
      { SIGNALS_URL: "http://127.0.0.1:9000/v1/" },
      ["list"],
      /SIGNALS_URL is more than[\s\S]*Set it to http:\/\/127\.0\.0\.1:9000 alone/,
    ],
    ["a command that is not there", {}, ["lsit"], /unknown command 'lsit'[\s\S]*Did you mean list/],
    [
      "a word that is not known",
      {},
      ["list", "--status", "bad"],
      /Allowed choices are active, failed, paused/,
    ],
    ["a label that is none", {}, ["tail", "--label", "north"], /must be like site:north/],
    ["a label that is none", {}, ["list", "--label", "a:b", "north"], /must be like site:north/],
    ["no file", {}, ["config", "apply"], /no file is named/],
    ["a file that is not there", {}, ["config", "apply", "/nowhere"], /\/nowhere cannot be read/],
    [
      "an event that is not known",
      {},
      ["tail", "--after", "evt_01JDA2V3Q8R5T7W9Y1ZZZZZZZZ"],
      /no event that this service knows/,
    ],
  ])(
    "with %s says why and what to do, and ends with 2",
    async (_what, set, words, expected) => {
      const { code, out, err } = await new CommandLine(words, { ...environment, ...set }).ended;
      expect(err).toMatch(expected);
      expect(err).not.toMatch(/^ {4}at /m);
      expect([code, out]).toEqual([2, ""]);
    },
    120_000,
  );

  it("is none of the help that every command has", async () => {
    const commands = [
      [],
      ["tail"],
      ["list"],
      ["source"],
      ["source", "test"],
      ["config"],
      ["config", "diff"],
      ["alerts"],
      ["silence"],
      ["silence", "create"],
    ];
    const helps = await Promise.all(commands.map((words) => ended(...words, "--help")));
    for (const [index, { code, out }] of helps.entries()) {
      expect([code, out]).toEqual([0, expect.stringContaining("Usage: signals")]);
      for (const word of commands[index] ?? []) expect(out).toContain(word);
    }
  });
});

describe("the program", () => {
  it("runs by npx in a checkout", async () => {
    const built = () => stat(join(ROOT, "src/dashboard/dist")).then(({ ino, mtimeMs }) => ({ ino, mtimeMs }));
    const before = await built();
    // A cache of its own: as the first time that it is run there.
    const env = { ...process.env, npm_config_cache: await temporaryDirectory() };
    const { stdout } = await promisify(execFile)("npx", ["signals", "--help"], { cwd: ROOT, env });
    expect(stdout).toContain("Usage: signals");
    // A service that runs there gives its pages from it.
    expect(await built()).toEqual(before);
  });

  it("runs from an installed package, where Node itself strips no types", async () => {
    const modules = join(await temporaryDirectory(), "node_modules");
    const installed = join(modules, "signal-optimization-service");
    await mkdir(installed, { recursive: true });
    for (const part of ["package.json", "src", "schemas"])
      await cp(join(ROOT, part), join(installed, part), { recursive: true });
    for (const name of ["commander", "eventsource-parser", "openapi-fetch", "yaml", "zod"])
      await symlink(join(ROOT, "node_modules", name), join(modules, name));
    const program = join(installed, "src/cli/signals.js");
    const shown = await new CommandLine(["list", "--q", "nowhere"], environment, program).ended;
    expect(shown).toEqual({ code: 0, out: "", err: "no signals\n" });
  });
});
