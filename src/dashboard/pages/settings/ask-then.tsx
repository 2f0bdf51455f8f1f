import { type ComponentProps, type ReactNode, useState } from "react";
import { Ask } from "../../parts/ask.tsx";
import { Button } from "../../parts/button.tsx";

interface AskThenProps extends Pick<ComponentProps<typeof Button>, "kind" | "disabled"> {
  /** What the button says, and, where that alone says too little, what is heard. */
  readonly button: string;
  readonly label?: string;
  readonly title: string;
  readonly does: string;
  readonly isBusy: boolean;
  readonly error: Error | null;
  /** Does it, and says when it is done. */
  readonly act: (done: () => void) => void;
  readonly children: ReactNode;
}

/** As `AskFirst`, where what is asked about is still there afterwards: the question is over once it is done. */
export const AskThen = ({
  kind = "danger",
  disabled,
  button,
  label,
  act,
  children,
  ...question
}: AskThenProps) => {
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <Button kind={kind} disabled={disabled} aria-label={label} onClick={() => setAsked(true)}>
        {button}
      </Button>
      <Ask
        {...question}
        isOpen={isAsked}
        isDangerous
        act={() => act(() => setAsked(false))}
        close={() => setAsked(false)}
      >
        {children}
      </Ask>
    </>
  );
};
