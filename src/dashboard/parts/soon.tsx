import { useEffect, useState } from "react";
import style from "./soon.module.css";

const AFTER_MS = 200;

/** In place of what is being fetched: nothing at first, as most answers come before an eye could see it. */
export const Soon = ({ lines = 3 }: { lines?: number }) => {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!isLate) return null;
  return (
    <div className={style.soon} role="status">
      <span className="only-heard">Loading</span>
      {Array.from({ length: lines }, (_, line) => (
        // Lines are alike, and never move.
        // biome-ignore lint/suspicious/noArrayIndexKey: there is nothing else to tell them by
        <div key={line} />
      ))}
    </div>
  );
};
