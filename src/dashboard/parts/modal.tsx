import { Dialog, DialogHeading } from "@ariakit/react";
import type { ReactNode } from "react";
import style from "./dialog.module.css";

interface ModalProps {
  readonly title: string;
  readonly isTitleSeen?: boolean;
  readonly isOpen?: boolean;
  /** Null: nothing but what is in it ends it. */
  readonly close: (() => void) | null;
  readonly children: ReactNode;
}

/** What is in front of the page until it is answered. */
export const Modal = ({ title, isTitleSeen = true, isOpen = true, close, children }: ModalProps) => (
  <Dialog
    open={isOpen}
    {...(close === null ? { hideOnInteractOutside: false, hideOnEscape: false } : { onClose: close })}
    className={style.dialog}
    backdrop={<div className={style.backdrop} />}
  >
    <DialogHeading className={isTitleSeen ? style.heading : "only-heard"}>{title}</DialogHeading>
    {children}
  </Dialog>
);
