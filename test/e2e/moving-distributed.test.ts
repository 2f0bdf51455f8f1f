import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openTestServer } from "../support/clickhouse.ts";
import { CLICKHOUSE_LOGIN } from "../support/clickhouse-server.ts";
import { temporaryDirectory } from "../support/directory.ts";
import {
  AFTER,
  BEFORE,
  directoryOf,
  goOn,
  type Home,
  moveAgainAndAgain,
  newHome,
  settle,
  startIn,
} from "../support/house.ts";
import { linesOf, pictureOf } from "../support/installation.ts";
import { newPrefix } from "../support/kafka.ts";
import { LineServer } from "../support/line-server.ts";
import { move } from "../support/moving.ts";
import { newSchema } from "../support/postgres.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { until } from "../support/until.ts";

/** On the servers of a stack, beside others. */
const homeOn = async ({ environment, postgres }: Stack, changes: Home): Promise<Home> =>
  newHome({
    ...environment,
    KAFKA_TOPIC_PREFIX: newPrefix(),
    DATABASE_URL: await newSchema(postgres.url()),
    ...changes,
  });

const storedIn = async (stack: Stack, { CLICKHOUSE_DATABASE: database = "" }: Home) => {
  const { url, cluster } = stack.clickHouse;
  const timeSeries = await openTestServer({ url, ...CLICKHOUSE_LOGIN, database, cluster, ca: null });
  try {
    return await linesOf(timeSeries);
  } finally {
    await timeSeries.close();
  }
};

const stack = await startStack();
if ("missing" in stack && process.env.CI) throw new Error(`Kafka is missing: ${stack.missing}`);

it.skipIf("missing" in stack)(
  "carries everything to Kafka, PostgreSQL and ClickHouse, and on to another partition count there",
  async () => {
    if ("missing" in stack) return;
    onTestFinished(() => stack.remove());
    const server = await LineServer.start([...BEFORE, ...AFTER]);
    const from = await newHome({ PARTITIONS: "2" });
    const settled = await settle(from, server);
    const SECRET_KEY = (await readFile(join(directoryOf(from), "secret.key"), "utf8")).trim();
    const first = await homeOn(stack, { SECRET_KEY, PARTITIONS: "3", CLICKHOUSE_DATABASE: "first" });
    const archives = await temporaryDirectory();
    const [one, two] = [join(archives, "one"), join(archives, "two")];
    await moveAgainAndAgain("export", one, from, []);
    await moveAgainAndAgain("import", one, first, [/readings .*/, /state .*/]);
    let left: unknown = null;
    await goOn(first, server, settled, async (api) => {
      const { code, stderr } = await move("export", two, first);
      expect(stderr).toMatch(/Workers of this installation are running: .*evaluate/);
      expect(code).toBe(1);
      await until("every signal to have failed for want of data", async () =>
        (await pictureOf(api)).signals.every(({ status }) => status === "failed"),
      );
      left = {
        picture: await pictureOf(api),
        events: (await api.events()).filter(({ sequence }) => sequence !== null),
      };
    });

    const second = await homeOn(stack, { SECRET_KEY, PARTITIONS: "5", CLICKHOUSE_DATABASE: "second" });
    await moveAgainAndAgain("export", two, first, [/event log .*/]);
    await moveAgainAndAgain("import", two, second, []);
    expect(await storedIn(stack, second)).toEqual(await storedIn(stack, first));
    const { service, api } = await startIn(second, settled.key);
    const events = (await api.events()).filter(({ sequence }) => sequence !== null);
    expect({ picture: await pictureOf(api), events }).toEqual(left);
    expect(await service.end("SIGTERM"), service.stderr).toBe(0);
  },
);
