import { expect, test } from "vitest";
import { connectionsBesideThreads, connectionsOfThread } from "../../src/compose/connections.ts";

test.each([
  [2, 2, 2],
  [8, 2, 2],
  [10, 2, 4],
  [14, 2, 8],
  [100, 20, 40],
])("of %i connections each thread may have %i, and the main thread %i", (connectionsMax, each, main) => {
  const settings = { url: "postgres://host/database", ca: null, connectionsMax };
  expect(connectionsOfThread(settings)).toEqual({ ...settings, connectionsMax: each });
  expect(connectionsBesideThreads(settings)).toEqual({ ...settings, connectionsMax: main });
  expect(3 * each + main).toBe(Math.max(8, connectionsMax));
});
