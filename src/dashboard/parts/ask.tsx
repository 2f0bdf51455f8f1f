import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import style from "./dialog.module.css";
import { Modal } from "./modal.tsx";
import { Problem } from "./problem.tsx";

interface AskProps {
  readonly isOpen: boolean;
  readonly title: string;
  readonly children: ReactNode;
  /** What is done, as the button has it. */
  readonly does: string;
  readonly isDangerous?: boolean;
  readonly isBusy?: boolean;
  readonly error?: unknown;
  readonly act: () => void;
  readonly close: () => void;
}

/** Asks before something is done, and shows why it could not be. */
export const Ask = ({
  isOpen,
  title,
  children,
  does,
  isDangerous = false,
  isBusy,
  error,
  act,
  close,
}: AskProps) => (
  <Modal title={title} isOpen={isOpen} close={close}>
    {children}
    {error !== undefined && error !== null && <Problem error={error} />}
    <div className={style.buttons}>
      <Button kind={isDangerous ? "danger" : "main"} disabled={isBusy === true} onClick={act}>
        {does}
      </Button>
      <Button onClick={close}>Cancel</Button>
    </div>
  </Modal>
);
