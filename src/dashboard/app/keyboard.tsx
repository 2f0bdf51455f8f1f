import { useNavigate } from "@tanstack/react-router";
import { lazy, useEffect, useRef, useState } from "react";
import { Lazily } from "./lazily.tsx";
import { live } from "./live.ts";
import { paletteAsked } from "./palette-asked.ts";
import { keys } from "./preferences.ts";
import { useTold } from "./told-value.ts";
import { isTyping, isWithin } from "./typing.ts";

const Palette = lazy(() => import("./palette.tsx"));
const KeyboardHelp = lazy(() => import("./keyboard-help.tsx"));

const PLACES = {
  o: "/",
  s: "/signals",
  a: "/alerts",
  c: "/settings/integrations",
  w: "/settings/webhooks",
} as const;
const isPlace = (key: string): key is keyof typeof PLACES => key in PLACES;
/** After `g`. */
const SECOND_KEY_MS = 1_500;

/** Out of a field without the mouse: from a search on to what it has found, from any other with Escape. */
const leaveField = (event: KeyboardEvent): void => {
  if (!(event.target instanceof HTMLElement) || isWithin(event, "[role=dialog], [role=menu]")) return;
  if (event.key === "Escape") event.target.blur();
  else if (event.key === "Enter" && event.target.matches("search input")) step(1);
};

/** The search of the page; where it has none, that of everything. */
const search = (): void => {
  const field = document.querySelector<HTMLInputElement>("main input[type=search]");
  if (field === null) paletteAsked.set(true);
  else field.focus();
};

/** Moves to the next row of what is listed, or the one before. */
const step = (by: 1 | -1): void => {
  const rows = [...document.querySelectorAll<HTMLElement>("main [data-row]")];
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  const next = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : at + by];
  next?.querySelector<HTMLElement>("a, button")?.focus();
};

/** Keys that mean the same on every page; those of a page are its own. */
export const Keyboard = () => {
  const [isHelp, setHelp] = useState(false);
  const isPalette = useTold(paletteAsked);
  const isOn = useTold(keys) === "on";
  const navigate = useNavigate();
  const goUntil = useRef(0);
  useEffect(() => {
    if (!isOn) return;
    const pressed = (event: KeyboardEvent): void => {
      if ((event.ctrlKey || event.metaKey) && event.key === "k") {
        event.preventDefault();
        paletteAsked.set(true);
        return;
      }
      // It may still be on its way, and not be there to hear it.
      if (event.key === "Escape") paletteAsked.set(false);
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event)) {
        leaveField(event);
        return;
      }
      const { key } = event;
      const isSecond = performance.now() < goUntil.current;
      goUntil.current = 0;
      if (isSecond && isPlace(key)) void navigate({ to: PLACES[key] });
      else if (key === "g") goUntil.current = performance.now() + SECOND_KEY_MS;
      else if (key === "?") setHelp(true);
      else if (key === " " && !isWithin(event, "button, summary, [tabindex='0']")) live.pause(!live.isPaused);
      else if (key === "/") search();
      else if (key === "j") step(1);
      else if (key === "k") step(-1);
      else if (key === "u") [...document.querySelectorAll<HTMLElement>("[data-undo]")].at(-1)?.click();
      else if (key === "n") document.querySelector<HTMLElement>("main [data-new]")?.click();
      else return;
      event.preventDefault();
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, [isOn, navigate]);
  return (
    <Lazily>
      {isHelp && <KeyboardHelp close={() => setHelp(false)} />}
      {isPalette && <Palette close={() => paletteAsked.set(false)} />}
    </Lazily>
  );
};
