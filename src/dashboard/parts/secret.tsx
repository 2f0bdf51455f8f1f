import { type ReactNode, useState } from "react";
import { LeaveGuard } from "../app/leave-guard.tsx";
import { Button } from "./button.tsx";
import { CopyButton } from "./copy-button.tsx";
import style from "./secret.module.css";

interface SecretProps {
  readonly text: string;
  readonly what: string;
  /** Whether it is several, such as codes. */
  readonly isMany?: boolean;
  /** Puts it away. */
  readonly done: () => void;
  /** It as it is shown, where that is not the text itself. */
  readonly children?: ReactNode;
}

/** Something that is shown once: what it is, and what to do with it. The page is not left before that is done. */
export const Secret = ({ text, what, isMany = false, done, children }: SecretProps) => {
  const [copied, setCopied] = useState<string | null>(null);
  const [it, is] = isMany ? ["they", "are"] : ["it", "is"];
  return (
    <div className={style.secret} role="status">
      <LeaveGuard
        isDirty={copied !== text}
        isFirst
        title={`Leave before ${it} ${is} copied?`}
        text={`The ${what} ${is} shown only this once.`}
      />
      <p>
        <strong>Copy the {what} now.</strong> {isMany ? "They are" : "It is"} shown only this once.
      </p>
      {children ?? (
        <div className={style.line}>
          <code>{text}</code>
        </div>
      )}
      <div className={style.line}>
        <CopyButton text={text} what={what} done={() => setCopied(text)} />
        <Button onClick={done}>I have {isMany ? "them" : "it"}</Button>
      </div>
    </div>
  );
};
