import { type ComponentProps, type ReactNode, useState } from "react";
import { Ask } from "./ask.tsx";
import { Button } from "./button.tsx";

interface AskFirstProps extends Pick<ComponentProps<typeof Button>, "kind" | "disabled"> {
  /** What the button says, and, where that alone says too little, what is heard. */
  readonly button: string;
  readonly label?: string;
  readonly title: string;
  readonly does: string;
  readonly doing: {
    readonly isPending: boolean;
    readonly error: Error | null;
    readonly mutate: (input: undefined, then: { onSuccess: () => void }) => void;
  };
  readonly children: ReactNode;
}

/** A button for what cannot be undone: it is done once somebody has been told so, and still wants it. */
export const AskFirst = ({
  kind = "danger",
  disabled,
  button,
  label,
  title,
  does,
  doing,
  children,
}: AskFirstProps) => {
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <Button kind={kind} disabled={disabled} aria-label={label} onClick={() => setAsked(true)}>
        {button}
      </Button>
      <Ask
        isOpen={isAsked}
        title={title}
        does={does}
        isDangerous
        isBusy={doing.isPending}
        error={doing.error}
        act={() => doing.mutate(undefined, { onSuccess: () => setAsked(false) })}
        close={() => setAsked(false)}
      >
        {children}
      </Ask>
    </>
  );
};
