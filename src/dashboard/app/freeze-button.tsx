import { Button } from "../parts/button.tsx";
import style from "./freeze-button.module.css";
import { live, useIsPaused } from "./live.ts";
import { keys } from "./preferences.ts";
import { useTold } from "./told-value.ts";

/** Lets what is live stand still, and go on: where nobody has the key for it, such as on a phone, as well. */
export const FreezeButton = () => {
  const isPaused = useIsPaused();
  const hasKeys = useTold(keys) === "on";
  const does = isPaused
    ? "Show what is live again"
    : "Let values, charts and alerts stand still, for you alone";
  return (
    <Button
      className={style.button}
      kind={isPaused ? "second" : "quiet"}
      title={hasKeys ? `${does} (Space)` : does}
      onClick={() => live.pause(!isPaused)}
    >
      {isPaused ? "Go on" : "Freeze view"}
    </Button>
  );
};
