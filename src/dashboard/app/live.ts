import { useEffect, useSyncExternalStore } from "react";
import { type LiveColumns, LiveStore } from "../live/live-store.ts";
import workerUrl from "../live/live-worker.ts?worker&url";
import type { FromWorker, ToWorker } from "../live/messages.ts";
import { seconds } from "../live/ticker.ts";
import { isLeft } from "./left.ts";
import { lookWho } from "./look-who.ts";
import { standing } from "./standing.ts";
import { trustedScript } from "./trusted.ts";

export const live = new LiveStore();

/** Follows everything of the account from now on. */
export const startLive = (): void => {
  const worker = new Worker(trustedScript(workerUrl), { type: "module" });
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => live.take(data);
  const url = new URL("/v1/stream", location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  const tell = (message: ToWorker) => worker.postMessage(message);
  tell({ kind: "start", url: url.href });
  const again = () => {
    if (standing.get() === "in" && !isLeft.get()) tell({ kind: "again" });
  };
  live.onState(() => {
    // That nobody could be asked is no reason to try no more.
    if (live.connection.state === "refused" && !isLeft.get())
      void lookWho()
        .catch(() => undefined)
        .then(again);
  });
  // Who is signed in by then may be somebody else: nothing of theirs is to reach what is shown.
  standing.onChange(() => (standing.get() === "in" ? again() : tell({ kind: "hold" })));
  isLeft.onChange(() => (isLeft.get() ? tell({ kind: "hold" }) : again()));
};

/** Runs each time that the connection is there again after it was lost; the function given ends it. */
export const whenBack = (run: () => void): (() => void) => {
  let wasLost = false;
  return live.onState(() => {
    const { state } = live.connection;
    if (state === "open" && wasLost) run();
    if (state !== "connecting") wasLost = state !== "open";
  });
};

/** Runs every so often while somebody looks: not in a window that is hidden, nor in a pause. The function given ends it. */
export const whileSeen = (everyMs: number, run: () => void): (() => void) => {
  const timer = setInterval(() => {
    if (!document.hidden && !live.isPaused) run();
  }, everyMs);
  return () => clearInterval(timer);
};

/** Draws whenever values have changed, once a frame at the most, without React. */
export const useLive = (draw: (columns: LiveColumns) => void): void => {
  useEffect(() => live.follow(draw), [draw]);
};
/** As `useLive`, and with every second besides: for what grows old. */
export const useLiveAges = (draw: (columns: LiveColumns) => void): void => {
  useLive(draw);
  useEffect(() => seconds.follow(() => draw(live.view)), [draw]);
};
const onLive = (listener: () => void): (() => void) => {
  const ends = [live.follow(listener), seconds.follow(listener)];
  return () => {
    for (const end of ends) end();
  };
};
/** Something of what is live, by React: rendered when it is another than before, and so not for what changes all the time. */
export const useLiveValue = <Value extends string | number>(read: () => Value): Value =>
  useSyncExternalStore(onLive, read);

export const useIsPaused = () => useSyncExternalStore(live.onState, () => live.isPaused);

/** What is looked at of a query to say whether it may be asked for. */
interface Asked {
  readonly state: { readonly data: unknown };
}
/** For `enabled` of what stands still in a pause: only what was never there is asked for, the rest once it goes on. */
export const useUnlessPaused = (): ((query: Asked) => boolean) => {
  const isPaused = useIsPaused();
  return ({ state }) => !isPaused || state.data === undefined;
};
