import type { Broker, Cluster } from "kafkajs";
import type { Telemetry } from "../../ports/telemetry.ts";
import { partitionOutOfRange } from "./failures.ts";
import { type FetchRequest, fetchAround } from "./fetch.ts";

/** What the broker says to a member that is to join anew; kafkajs goes by `type`. */
class RebalanceWanted extends Error {
  readonly type = "REBALANCE_IN_PROGRESS";
}

export interface GroupHooks {
  /** Awaited each time before the group is joined. */
  readonly joining: () => Promise<void>;
  /** Whether the group is to be joined anew; asked before each fetch, once for each yes. */
  readonly takeRejoin: () => boolean;
  /** A partition does not have the offset that it was asked for: pause it, or it is asked for again at once. */
  readonly outOfRange: (partition: number) => void;
  readonly telemetry: Telemetry;
}

/**
 * The broker, but for batches that cannot be unpacked (see fetch.ts), and for partitions that do not have what they are
 * asked for: the answer is empty then.
 */
const telling = (broker: Broker, { outOfRange, telemetry }: GroupHooks): Broker =>
  Object.create(broker, {
    fetch: {
      value: async (request: FetchRequest): Promise<unknown> => {
        try {
          return await fetchAround(broker, request, telemetry);
        } catch (error) {
          const partition = partitionOutOfRange(error);
          if (partition === null) throw error;
          outOfRange(partition);
          return { responses: [] };
        }
      },
    },
  });

/**
 * Five things that a consumer of kafkajs does not offer are had by putting our own functions in place of those of its
 * cluster, which is the consumer's alone. It joins anew at once when the broker says so, with no moment to let go of
 * anything; it cannot be told to join anew; it goes to the oldest record, and commits that, where what it is to read is
 * not there; it gives up for one batch that it cannot unpack; and it forgets the last broker it knows when that closes a
 * connection, then crashes for want of brokers instead of waiting for it to come back.
 */
export const hookInto = (cluster: Cluster, hooks: GroupHooks): void => {
  const { joining, takeRejoin } = hooks;
  const findGroupCoordinator = cluster.findGroupCoordinator.bind(cluster);
  // The first thing of each joining.
  cluster.findGroupCoordinator = async (group) => {
    await joining();
    return await findGroupCoordinator(group);
  };
  const refreshMetadataIfNecessary = cluster.refreshMetadataIfNecessary.bind(cluster);
  // The first thing of each fetch; what it throws comes to where kafkajs joins anew.
  cluster.refreshMetadataIfNecessary = async () => {
    if (takeRejoin()) throw new RebalanceWanted("partitions were let go of");
    await refreshMetadataIfNecessary();
  };
  const findBroker = cluster.findBroker.bind(cluster);
  cluster.findBroker = async (node) => telling(await findBroker(node), hooks);
  // One that has gone for good is dropped when the others say so.
  cluster.removeBroker = () => undefined;
};
