import { useEffect, useState } from "react";
import { ApiError } from "../../client/failures.ts";
import { Button } from "../parts/button.tsx";
import { isSignedOut } from "./signed-out.ts";
import style from "./toasts.module.css";
import { ToldValue, useTold } from "./told-value.ts";

const SHOWN_MS = 8_000;
/** Who goes to it by keys needs longer. */
const UNDO_SHOWN_MS = 30_000;
const KEPT = 3;

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly undo: (() => Promise<unknown>) | null;
}
const toasts = new ToldValue<readonly Toast[]>([]);
let made = 0;

const drop = (id: number): void => toasts.set(toasts.get().filter((toast) => toast.id !== id));

/** Says for a while what was done, and offers to undo it where that can be. */
export const say = (text: string, undo: (() => Promise<unknown>) | null = null): void => {
  const id = ++made;
  toasts.set([...toasts.get(), { id, text, undo }].slice(-KEPT));
};

const whyNot = (error: unknown): string => {
  if (isSignedOut(error)) return "you were signed out.";
  return error instanceof ApiError ? error.detail : String(error);
};

const undone = async (undo: () => Promise<unknown>): Promise<void> => {
  try {
    await undo();
  } catch (error) {
    say(`▲ That could not be undone: ${whyNot(error)}`);
  }
};

/** One of them, which stays while somebody is at it: with the pointer, or by the keyboard. */
const ToastShown = ({ toast: { id, text, undo } }: { toast: Toast }) => {
  const [isPointedAt, setPointedAt] = useState(false);
  const [isFocused, setFocused] = useState(false);
  const isHeld = isPointedAt || isFocused;
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(() => drop(id), undo === null ? SHOWN_MS : UNDO_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [id, undo, isHeld]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: nothing is done here, only waited
    <div
      className={style.toast}
      onPointerEnter={() => setPointedAt(true)}
      onPointerLeave={() => setPointedAt(false)}
      onFocus={() => setFocused(true)}
      onBlur={() => setFocused(false)}
    >
      <span>{text}</span>
      {undo !== null && (
        <Button
          data-undo=""
          onClick={() => {
            drop(id);
            void undone(undo);
          }}
        >
          Undo
        </Button>
      )}
      <Button kind="quiet" aria-label="Dismiss" onClick={() => drop(id)}>
        ✕
      </Button>
    </div>
  );
};

export const Toasts = () => {
  const shown = useTold(toasts);
  return (
    <div className={style.toasts} role="status">
      {shown.map((toast) => (
        <ToastShown key={toast.id} toast={toast} />
      ))}
    </div>
  );
};
