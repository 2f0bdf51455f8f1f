import { useBlocker } from "@tanstack/react-router";
import { Button } from "../parts/button.tsx";
import style from "../parts/dialog.module.css";
import { Modal } from "../parts/modal.tsx";
import { useHeld } from "./held.ts";

/** Asks before what was typed and not saved is left. */
export const LeaveGuard = ({ isDirty }: { isDirty: boolean }) => {
  useHeld(isDirty);
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: isDirty,
    withResolver: true,
  });
  return (
    <Modal title="Leave without saving?" isOpen={status === "blocked"} close={() => reset?.()}>
      <p>What you changed here is not saved.</p>
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
