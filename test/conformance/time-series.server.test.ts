import {
  accessTo,
  dropDatabase,
  givenClickHouse,
  openTestServer,
  ownClickHouse,
} from "../support/clickhouse.ts";
import { timeSeriesConformance } from "./time-series.ts";

timeSeriesConformance("a ClickHouse server", async () => {
  const given = givenClickHouse();
  // Somebody else's server is not killed: each range is still inserted twice.
  if (given !== null) {
    const timeSeries = await openTestServer(given);
    const stop = async () => {
      await timeSeries.close();
      await dropDatabase(given);
    };
    return { timeSeries, kill: () => undefined, stop };
  }
  const server = await ownClickHouse();
  // A busy machine starts a server that was killed in more time than production waits before it says so.
  const timeSeries = await openTestServer(accessTo(server), { retryForMs: 60_000 });
  let restarted = Promise.resolve();
  const restart = async () => {
    await server.kill();
    await server.start();
  };
  return {
    timeSeries,
    kill: () => {
      restarted = restarted.then(restart);
    },
    stop: async () => {
      await restarted;
      await timeSeries.close();
      await server.remove();
    },
  };
});
