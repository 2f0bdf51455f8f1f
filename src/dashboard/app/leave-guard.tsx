import { Dialog, DialogHeading } from "@ariakit/react";
import { useBlocker } from "@tanstack/react-router";
import { Button } from "../parts/button.tsx";
import style from "./dialog.module.css";

/** Asks before what was typed and not saved is left. */
export const LeaveGuard = ({ isDirty }: { isDirty: boolean }) => {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: isDirty,
    withResolver: true,
  });
  return (
    <Dialog
      open={status === "blocked"}
      onClose={() => reset?.()}
      className={style.dialog}
      backdrop={<div className={style.backdrop} />}
    >
      <DialogHeading className={style.heading}>Leave without saving?</DialogHeading>
      <p>What you changed here is not saved.</p>
      <div className={style.buttons}>
        <Button kind="main" onClick={() => reset?.()}>
          Stay
        </Button>
        <Button kind="danger" onClick={() => proceed?.()}>
          Leave
        </Button>
      </div>
    </Dialog>
  );
};
