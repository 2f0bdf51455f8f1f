/** What several files here show. */
export const SIGNAL = {
  id: "sig_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
  name: "roof antenna",
  threshold: 0.4,
  externalId: null,
  labels: { site: "north" },
  floorDbm: -100,
  ceilingDbm: -50,
  hysteresis: 0.05,
  noDataAfterSeconds: 300,
  status: "active",
  sourceId: null,
  strength: -61.5,
  quality: 0.77,
  lastReadingAt: "2026-01-31T09:30:00.000Z",
  reasons: [],
  sequence: 3,
  createdAt: "2026-01-30T08:00:00.000Z",
  updatedAt: "2026-01-30T08:00:00.000Z",
};
export const EVENT = {
  event: "signal.failed",
  id: "evt_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
  type: "signal.failed",
  createdAt: "2026-01-31T09:30:00.000Z",
  apiVersion: "v1",
  sequence: 4,
  data: { signal: { ...SIGNAL, status: "failed", sequence: 4 }, previous: { status: "active" } },
};
export const SOURCE_BODY = { type: "websocket", name: "gateway", url: "wss://feed.example/signals" };
