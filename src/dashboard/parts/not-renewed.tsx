import { useSyncExternalStore } from "react";
import { ageText } from "../app/words.ts";
import { seconds } from "../live/ticker.ts";
import { Button } from "./button.tsx";
import style from "./not-renewed.module.css";

interface Asked {
  readonly data: unknown;
  readonly error: Error | null;
  readonly dataUpdatedAt: number;
  readonly refetch: () => Promise<unknown>;
}

/** Beside what was there before and could not be asked for anew: for how long, and another try. */
export const NotRenewed = ({ of: { data, error, dataUpdatedAt, refetch } }: { of: Asked }) => {
  // Answers are dated by this machine's clock, and not by the service's.
  const age = useSyncExternalStore(seconds.follow, () => ageText(dataUpdatedAt, Date.now()));
  if (data === undefined || error === null) return null;
  return (
    <p className={style.old} role="status">
      <span>
        {/* Seen to grow, but not heard every second. */}▲ not renewed since{" "}
        <span aria-live="off">{age}</span>
      </span>
      <Button kind="quiet" onClick={() => void refetch()}>
        Try again
      </Button>
    </p>
  );
};
