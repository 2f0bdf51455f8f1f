import { expect, onTestFinished } from "vitest";
import { z } from "zod";
import type { SignalServiceEvent } from "../../schemas/event.ts";
import { Api } from "./api.ts";
import { temporaryDirectory } from "./directory.ts";
import { expectToldOnce, pictureOf } from "./installation.ts";
import type { LineServer } from "./line-server.ts";
import { type Moved, move } from "./moving.ts";
import { newApiKey, Service } from "./service-process.ts";
import { until } from "./until.ts";

/** The settings of a home: what its service, its export and its import are started with. */
export type Home = Readonly<Record<string, string>>;

const WithId = z.object({ id: z.string() });
const NAMES = Array.from({ length: 12 }, (_, n) => `s${n}`);
const HOUR = 3_600_000;
const MONTH = 30 * 24 * HOUR;
const EVER = ["2020-01-01T00:00:00Z", "2100-01-01T00:00:00Z"] as const;
const FIRST = Date.UTC(2025, 0, 1);

/** A round of readings, one of each signal; months lie between rounds, and so more than one file of the archive. */
const round = (at: number, rssi: number): string[] => NAMES.map((id) => JSON.stringify({ id, rssi, at }));
export const BEFORE = [
  ...round(FIRST, -60.25),
  ...round(FIRST + MONTH, -90.1),
  ...round(FIRST + 2 * MONTH, -60.3),
  ...round(FIRST + 3 * MONTH, -60.3),
  JSON.stringify({ id: "s0", rssi: "loud" }),
  ...round(FIRST + 6 * MONTH, -91.7),
];
export const AFTER = [...round(FIRST + 6 * MONTH + 2 * HOUR, -92), ...round(FIRST + 7 * MONTH, -60)];

export const newHome = async (environment: Home = {}): Promise<Home> => ({
  DATA_DIR: await temporaryDirectory(),
  ...environment,
});
export const directoryOf = ({ DATA_DIR = "" }: Home): string => DATA_DIR;

/** Starts the service in a home, with no more than the settings that belong to it. */
export const startIn = async (home: Home, key: string, extra: Home = {}) => {
  const service = new Service({ dataDirectory: directoryOf(home), environment: { ...home, ...extra } });
  onTestFinished(async () => {
    await service.end("SIGKILL");
  });
  return { service, api: new Api(await service.ready(), key) };
};

const alertIds = (events: readonly SignalServiceEvent[], kind: SignalServiceEvent["event"], rule: string) =>
  events
    .filter(({ event, data }) => event === kind && data.alert?.ruleName === rule)
    .map(({ data }) => data.alert?.id)
    .sort();

/** An installation with a source that has been read to the end of BEFORE: every signal fails, a rule waits on each. */
export const settle = async (home: Home, server: LineServer, stop: NodeJS.Signals = "SIGTERM") => {
  const key = newApiKey();
  const { service, api } = await startIn(home, key, { BOOTSTRAP_API_KEY: key, DEMO: "false" });
  const condition = { operator: "below", value: -80 };
  await api.expect(WithId, "POST", "/v1/alerts/rules", { name: "weak", condition });
  const slow = { name: "slow", condition, forSeconds: 3600, failsSignal: false };
  await api.expect(WithId, "POST", "/v1/alerts/rules", slow);
  const defaults = { noDataAfterSeconds: 12 };
  const source = { type: "websocket", name: "lines", url: server.url, defaults };
  await api.expect(WithId, "POST", "/v1/integrations/sources", source);
  server.sendUpTo(BEFORE.length);
  const picture = await until("every signal to have failed again, and a message to be rejected", async () => {
    const now = await pictureOf(api);
    const isSettled = now.signals.every(({ status, sequence }) => status === "failed" && sequence === 9);
    return isSettled && now.signals.length === NAMES.length && now.rejected === 1 ? now : null;
  });
  const told = await api.events();
  await service.end(stop);
  return { key, told, picture };
};

/** The installation goes on in `home` as if nothing had happened; gives all of its events. */
export const goOn = async (
  home: Home,
  server: LineServer,
  { key, told, picture }: Awaited<ReturnType<typeof settle>>,
  atLast: (api: Api) => Promise<void> = async () => undefined,
): Promise<SignalServiceEvent[]> => {
  const { service, api } = await startIn(home, key);
  expect(await pictureOf(api)).toEqual(picture);
  expect((await api.events()).slice(0, told.length)).toEqual(told);
  server.sendUpTo(BEFORE.length + AFTER.length);
  const after = await until("every signal to be active again", async () => {
    const events = (await api.events()).slice(told.length);
    return alertIds(events, "alert.resolved", "weak").length === NAMES.length &&
      alertIds(events, "alert.resolved", "slow").length === NAMES.length
      ? events
      : null;
  });
  expect(after.filter(({ event }) => event === "signal.created" || event === "signal.failed")).toEqual([]);
  expect(alertIds(after, "alert.firing", "slow")).toHaveLength(NAMES.length);
  const firing = alertIds(told, "alert.firing", "weak").filter(
    (id) => !alertIds(told, "alert.resolved", "weak").includes(id),
  );
  expect(alertIds(after, "alert.resolved", "weak")).toEqual(firing);
  const last = told.at(-1)?.id ?? "";
  expect((await api.events({ ...(last !== undefined && { after: last }) })).map(({ id }) => id)).toEqual(
    after.map(({ id }) => id),
  );
  const all = [...told, ...after];
  expectToldOnce(all);
  for (const { id } of picture.signals)
    await until("its readings to be stored", async () => (await api.storedReadings(id, ...EVER)) === 7);
  await atLast(api);
  expect(await service.end("SIGTERM"), service.stderr).toBe(0);
  return all;
};

export const expectDone = ({ code, stderr, stdout }: Moved): string => {
  expect(code, stderr + stdout).toBe(0);
  return stdout;
};

/** The command, killed where each of these was printed, and then left to finish. */
export const moveAgainAndAgain = async (
  command: "export" | "import",
  archive: string,
  home: Home,
  kills: readonly RegExp[],
): Promise<void> => {
  for (const killAt of kills) {
    const { code, stdout, stderr } = await move(command, archive, home, killAt);
    expect(stdout, stderr).toMatch(killAt);
    expect(code).not.toBe(1);
  }
  expectDone(await move(command, archive, home));
};
