import { useLocation } from "@tanstack/react-router";
import { type RefObject, useEffect, useRef } from "react";

/** Sideways alone: the page itself stays where somebody has moved it. */
const bringIntoSight = (row: HTMLElement): void => {
  const current = row.querySelector("[data-status=active]");
  if (current === null) return;
  const [seen, wanted] = [row.getBoundingClientRect(), current.getBoundingClientRect()];
  row.scrollLeft += Math.max(0, wanted.right - seen.right) + Math.min(0, wanted.left - seen.left);
};

/** For a row of links that is wider than its window may be: the page that is shown is in sight in it. */
export const useCurrentInSight = (): RefObject<HTMLElement | null> => {
  const row = useRef<HTMLElement>(null);
  const path = useLocation({ select: ({ pathname }) => pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another path makes another link the current one
  useEffect(() => {
    const { current } = row;
    if (current === null) return;
    // It is told of the first size at once, too.
    const sizes = new ResizeObserver(() => bringIntoSight(current));
    sizes.observe(current);
    return () => sizes.disconnect();
  }, [path]);
  return row;
};
