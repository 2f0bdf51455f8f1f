import { useEffect, useSyncExternalStore } from "react";
import { seconds } from "../live/ticker.ts";
import style from "./connection-banner.module.css";
import { live, useIsPaused } from "./live.ts";
import { standing } from "./standing.ts";
import { ageText } from "./words.ts";

const SECOND_MS = 1_000;
/** A connection that comes back at once need not be told of. */
const PATIENCE_MS = 2_000;

const onChange = (listener: () => void): (() => void) => {
  const ends = [seconds.follow(listener), live.onState(listener)];
  return () => {
    for (const end of ends) end();
  };
};

const isLostNow = (): boolean => {
  const { state, sinceMs } = live.connection;
  return standing.get() === "in" && state !== "open" && performance.now() - sinceMs >= PATIENCE_MS;
};

/** How old what is shown is; null: it is what is. */
const ageNow = (): string | null => {
  const sinceMs = live.staleSinceMs;
  if (sinceMs === null) return null;
  const nowMs = performance.now();
  return ageText(Math.min(sinceMs, nowMs - SECOND_MS), nowMs);
};

/** Says when what is shown is not what is, and how old it is. */
export const ConnectionBanner = () => {
  const isPaused = useIsPaused();
  const isLost = useSyncExternalStore(onChange, isLostNow);
  const age = useSyncExternalStore(onChange, ageNow);
  const isShown = isPaused || isLost;
  // What is live is greyed for as long as it is not.
  useEffect(() => {
    document.documentElement.dataset.live = isLost ? "stale" : "";
    return () => {
      document.documentElement.dataset.live = "";
    };
  }, [isLost]);
  return (
    // There before it says anything, so that what it says is heard.
    <div className={isShown ? style.banner : undefined} role="status">
      {isPaused && (
        <span>
          <strong>Ⅱ Frozen.</strong> Values, charts and alerts stand still{!isLost && "; what comes is kept"}.
        </span>
      )}
      {isLost && (
        <span>
          <strong>▲ The live connection is lost.</strong> Trying again.
        </span>
      )}
      {/* Seen to grow, but not heard every second. */}
      {isShown && age !== null && <span aria-live="off">What is shown is {age} old.</span>}
    </div>
  );
};
