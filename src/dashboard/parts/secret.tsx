import { useHeld } from "../app/held.ts";
import { CopyButton } from "./copy-button.tsx";
import style from "./secret.module.css";

/** Something that is shown once: what it is, and what to do with it. */
export const Secret = ({ text, what }: { text: string; what: string }) => {
  useHeld();
  return (
    <div className={style.secret} role="status">
      <p>
        <strong>Copy the {what} now.</strong> It is shown only this once.
      </p>
      <div className={style.line}>
        <code>{text}</code>
        <CopyButton text={text} what={what} />
      </div>
    </div>
  );
};
