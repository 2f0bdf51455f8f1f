import { useEffect, useState } from "react";
import { say } from "../app/toasts.tsx";
import { Button } from "./button.tsx";

const SAID_FOR_MS = 1_500;

interface CopyButtonProps {
  readonly text: string;
  readonly what: string;
  /** Called once it is where it was to be. */
  readonly done?: () => void;
}

export const CopyButton = ({ text, what, done }: CopyButtonProps) => {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SAID_FOR_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // A browser may refuse it, and has no clipboard for pages that came without TLS.
      say("▲ The browser does not let it be copied: select it, and copy it by hand.");
      return;
    }
    setCopied(true);
    done?.();
  };
  return (
    <Button kind="quiet" aria-label={`Copy ${what}`} title={`Copy ${what}`} onClick={() => void copy()}>
      {isCopied ? "Copied" : "Copy"}
    </Button>
  );
};
