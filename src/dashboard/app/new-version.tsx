import { useEffect } from "react";
import { seconds } from "../live/ticker.ts";
import { Button } from "../parts/button.tsx";
import style from "./connection-banner.module.css";
import { isAnythingHeld } from "./held.ts";
import { live, whenBack } from "./live.ts";
import { ToldValue, useTold } from "./told-value.ts";

/** Nobody looks for something on a page that has not been touched for so long. */
const UNTOUCHED_MS = 5 * 60_000;
const TOUCHES = ["pointerdown", "keydown", "wheel"] as const;

/** Whether a page begins with other scripts than the one that is shown: their names say what is in them. */
const isOfOtherScripts = (page: string, scripts: readonly string[]): boolean =>
  scripts.some((script) => !page.includes(`"${script}"`));

const isNewer = new ToldValue(false);

const look = async (): Promise<void> => {
  // What extensions of a browser put into a page is not the service's.
  const own = [...document.scripts].filter(({ src }) => src.startsWith(`${location.origin}/`));
  const scripts = own.map(({ src }) => new URL(src).pathname);
  try {
    const answer = await fetch("/signals", { cache: "no-cache" });
    if (answer.ok) isNewer.set(isOfOtherScripts(await answer.text(), scripts));
  } catch {
    // Who cannot be asked now is asked when the connection is there again.
  }
};

/** Loads the page anew once nobody is at it, and nothing is lost by it: nobody presses a button on a wall. */
const renewUntouched = (): (() => void) => {
  let touchedMs = performance.now();
  const touched = () => {
    touchedMs = performance.now();
  };
  const ends = seconds.follow(() => {
    const isBusy =
      isAnythingHeld() || live.isPaused || document.querySelector("[role=dialog]:not([hidden])") !== null;
    if (isBusy) touched();
    else if (performance.now() - touchedMs > UNTOUCHED_MS) location.reload();
  });
  for (const kind of TOUCHES) addEventListener(kind, touched, { capture: true, passive: true });
  return () => {
    ends();
    for (const kind of TOUCHES) removeEventListener(kind, touched, { capture: true });
  };
};

/** Says that the service has a new version, and takes it on a page that is only looked at. */
export const NewVersion = () => {
  const isShown = useTold(isNewer);
  // A service that was away may be another one when it is back.
  useEffect(() => whenBack(() => void look()), []);
  useEffect(() => (isShown ? renewUntouched() : undefined), [isShown]);
  return (
    // There before it says anything, so that what it says is heard.
    <div className={isShown ? style.banner : undefined} role="status">
      {isShown && (
        <>
          <span>
            <strong>The service has a new version.</strong> This page is still of the one before.
          </span>
          <Button onClick={() => location.reload()}>Load the new one</Button>
        </>
      )}
    </div>
  );
};
