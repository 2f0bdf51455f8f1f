import { withShiftedTopic } from "../../adapters/event-log/shifted-topic.ts";
import type { Port } from "../../adapters/threads/channel.ts";
import { type GuestControl, guestControl } from "../../adapters/threads/control.ts";
import { guestLog } from "../../adapters/threads/guest-log.ts";
import type { EventLog } from "../../ports/event-log.ts";
import type { Surroundings } from "../../ports/surroundings.ts";
import type { TimeSeries } from "../../ports/time-series.ts";
import type { Health } from "../../ports/worker.ts";
import { connectionsOfThread } from "../connections.ts";
import type { PipelineEngines, PipelineWorker } from "../pipeline.ts";
import { openClickHouse, openKafka, openPostgres } from "../servers.ts";
import type { ThreadData } from "./thread-calls.ts";

/** Embedded engines are the main thread's, and used through it; to a server each thread has a client of its own. */
const openLog = async (data: ThreadData, port: Port, surroundings: Surroundings): Promise<EventLog> => {
  const { kafka } = data.config.engines;
  if (kafka === null) return guestLog(data.log, port);
  return withShiftedTopic(await openKafka(kafka, data.config, surroundings), "events", data.eventsBase);
};

interface OwnControl {
  readonly control: GuestControl;
  readonly close: () => Promise<void>;
  /** Where it is the thread's own. */
  readonly health?: () => Health;
}

const openControl = async (
  { config }: ThreadData,
  port: Port,
  surroundings: Surroundings,
): Promise<OwnControl> => {
  const { postgres } = config.engines;
  if (postgres === null) return { control: guestControl(port), close: async () => undefined };
  const control = await openPostgres(connectionsOfThread(postgres), config, surroundings);
  return { control, close: () => control.close(), health: () => control.health() };
};

const openSeries = async (
  { name, config, seriesSocket }: ThreadData,
  surroundings: Surroundings,
): Promise<TimeSeries | null> => {
  if (name !== "record") return null;
  const { clickHouse } = config.engines;
  if (clickHouse !== null) return openClickHouse(clickHouse, null, surroundings);
  if (seriesSocket === null) throw new Error("an embedded time series without a socket");
  const { chdbTransport } = await import("../../adapters/chdb/transport.ts");
  const { connectTimeSeries } = await import("../../adapters/clickhouse/time-series.ts");
  return connectTimeSeries({ transport: chdbTransport(seriesSocket), ...surroundings });
};

/** What is not well, told beside what the main thread has of the same engines. */
const troubles = (worker: PipelineWorker, parts: readonly Health[]): Health[] =>
  parts.filter(({ state }) => state !== "ok").map((part) => ({ ...part, name: `${part.name} of ${worker}` }));

/** What a worker works on, how those of it are that the main thread does not see, and what closes all. */
export interface ThreadEngines extends PipelineEngines, AsyncDisposable {
  /** While one is not well; by the engine's name and the worker's. */
  health(): Health[];
}

export const openThreadEngines = async (
  data: ThreadData,
  port: Port,
  surroundings: Surroundings,
): Promise<ThreadEngines> => {
  const stack = new AsyncDisposableStack();
  try {
    const log = stack.adopt(await openLog(data, port, surroundings), (opened) => opened.close());
    const opened = stack.adopt(await openControl(data, port, surroundings), ({ close }) => close());
    const { control } = opened;
    const own = () =>
      [data.config.engines.kafka === null ? [] : log.health(), opened.health?.() ?? []].flat();
    const timeSeries = await openSeries(data, surroundings);
    stack.defer(async () => timeSeries?.close());
    return {
      log,
      control,
      timeSeries,
      health: () => troubles(data.name, [own(), timeSeries?.health() ?? []].flat()),
      [Symbol.asyncDispose]: () => stack.disposeAsync(),
    };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
};
