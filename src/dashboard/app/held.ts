import { useEffect } from "react";

let held = 0;

/** Whether something on the page would be lost if it were loaded anew. */
export const isAnythingHeld = (): boolean => held > 0;

/** Says so, while it is there: of a form that was changed, or a secret that is shown once. */
export const useHeld = (isHeld = true): void => {
  useEffect(() => {
    if (!isHeld) return;
    held++;
    return () => {
      held--;
    };
  }, [isHeld]);
};
