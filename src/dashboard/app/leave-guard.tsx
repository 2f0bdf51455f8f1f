import { useBlocker } from "@tanstack/react-router";
import { Button } from "../parts/button.tsx";
import style from "../parts/dialog.module.css";
import { Modal } from "../parts/modal.tsx";
import { useHeld } from "./held.ts";

interface LeaveGuardProps {
  readonly isDirty: boolean;
  readonly title?: string;
  readonly text?: string;
  /** Whether this is asked before what other guards of the page ask. */
  readonly isFirst?: boolean;
}

/** Asks before what was typed and not saved is left: once, however many of these a page has. */
export const LeaveGuard = ({
  isDirty,
  title = "Leave without saving?",
  text = "What you changed here is not saved.",
  isFirst = false,
}: LeaveGuardProps) => {
  const asks = useHeld(isDirty, isFirst);
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => asks() && current.pathname !== next.pathname,
    enableBeforeUnload: isDirty,
    withResolver: true,
  });
  return (
    <Modal title={title} isOpen={status === "blocked"} close={() => reset?.()}>
      <p>{text}</p>
      <div className={style.buttons}>
        <Button kind="main" onClick={() => reset?.()}>
          Stay
        </Button>
        <Button kind="danger" onClick={() => proceed?.()}>
          Leave
        </Button>
      </div>
    </Modal>
  );
};
