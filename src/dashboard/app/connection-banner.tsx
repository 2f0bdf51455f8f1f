import { useEffect, useState } from "react";
import { Button } from "../parts/button.tsx";
import style from "./connection-banner.module.css";
import { live, useConnection, useIsPaused } from "./live.ts";

const EVERY_MS = 1_000;
/** A connection that comes back at once need not be told of. */
const PATIENCE_MS = 2_000;

const Lost = ({ sinceMs }: { sinceMs: number }) => {
  const [nowMs, setNow] = useState(() => performance.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  const lostMs = nowMs - sinceMs;
  const isStale = lostMs >= PATIENCE_MS;
  // What is live is greyed for as long as it is not.
  useEffect(() => {
    document.documentElement.dataset.live = isStale ? "stale" : "";
    return () => {
      document.documentElement.dataset.live = "";
    };
  }, [isStale]);
  if (!isStale) return null;
  return (
    <div className={style.banner} role="status">
      <strong>▲ The live connection is lost.</strong> What is shown is {Math.round(lostMs / 1_000)} s old.
      Trying again.
    </div>
  );
};

/** Says when what is shown is not what is. */
export const ConnectionBanner = () => {
  const { state, sinceMs } = useConnection();
  const isPaused = useIsPaused();
  if (isPaused)
    return (
      <div className={style.banner} role="status">
        <strong>Ⅱ Paused.</strong> What is shown stands still; what comes is kept.
        <Button onClick={() => live.pause(false)}>Go on</Button>
      </div>
    );
  return state === "lost" || state === "connecting" ? <Lost key={sinceMs} sinceMs={sinceMs} /> : null;
};
