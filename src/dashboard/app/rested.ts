import { useEffect, useState } from "react";

/** What changes all the time, as it was when it rested last; `atFirst` until then. */
export const useRested = <T extends string | null>(value: T, restMs: number, atFirst: T = value): T => {
  const [rested, setRested] = useState(atFirst);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), restMs);
    return () => clearTimeout(timer);
  }, [value, restMs]);
  return rested;
};
