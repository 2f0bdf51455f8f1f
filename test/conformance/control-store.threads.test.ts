import { MessageChannel } from "node:worker_threads";
import { describe } from "vitest";
import { guestControl, hostControl } from "../../src/adapters/threads/control.ts";
import type { ControlStore } from "../../src/ports/control-store.ts";
import { progressSuite } from "./control-store/progress.ts";
import { signalResolveSuite } from "./control-store/signal-resolve.ts";
import { snapshotsSuite } from "./control-store/snapshots.ts";
import { sourceStatusSuite } from "./control-store/source-status.ts";
import { sourcesSuite } from "./control-store/sources.ts";
import { sqliteDatabase } from "./sqlite-database.ts";

/** Control data of which the parts that a thread asks for are asked for as by one that does not have them. */
const throughPort = (store: ControlStore): ControlStore => {
  const { port1, port2 } = new MessageChannel();
  const closeHost = hostControl(store, port1);
  return {
    ...store,
    ...guestControl(port2),
    close: async () => {
      closeHost();
      port1.close();
      await store.close();
    },
  };
};

const newDatabase = () => sqliteDatabase(throughPort);

describe("control store of another thread", () => {
  signalResolveSuite(newDatabase);
  sourcesSuite(newDatabase);
  sourceStatusSuite(newDatabase);
  progressSuite(newDatabase);
  snapshotsSuite(newDatabase);
});
