import { useEffect, useState } from "react";

/** What would be lost, in the order in which somebody is asked for it. */
const held: symbol[] = [];

/** Whether something on the page would be lost if it were loaded anew. */
export const isAnythingHeld = (): boolean => held.length > 0;

/**
 * Says so, while it is there: of a form that was changed, or a secret that is shown once, which `isFirst`. Gives whether
 * this is what somebody is asked for: one question is enough for all that a page holds.
 */
export const useHeld = (isHeld: boolean, isFirst: boolean): (() => boolean) => {
  const [own] = useState(() => Symbol("held"));
  useEffect(() => {
    if (!isHeld) return;
    if (isFirst) held.unshift(own);
    else held.push(own);
    return () => {
      held.splice(held.indexOf(own), 1);
    };
  }, [isHeld, isFirst, own]);
  return () => held[0] === own;
};
