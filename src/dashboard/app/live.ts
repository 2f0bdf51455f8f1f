import { useEffect, useSyncExternalStore } from "react";
import { type LiveColumns, LiveStore } from "../live/live-store.ts";
import workerUrl from "../live/live-worker.ts?worker&url";
import type { FromWorker, ToWorker } from "../live/messages.ts";
import { trustedScript } from "./trusted.ts";

export const live = new LiveStore();

/** Follows everything of the account from now on. */
export const startLive = (): void => {
  const worker = new Worker(trustedScript(workerUrl), { type: "module" });
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => live.take(data);
  const url = new URL("/v1/stream", location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  const start: ToWorker = { kind: "start", url: url.href };
  worker.postMessage(start);
};

/** Draws whenever values have changed, once a frame at the most, without React. */
export const useLive = (draw: (columns: LiveColumns) => void): void => {
  useEffect(() => live.follow(draw), [draw]);
};
export const useConnection = () => useSyncExternalStore(live.onState, () => live.connection);
export const useIsPaused = () => useSyncExternalStore(live.onState, () => live.isPaused);
