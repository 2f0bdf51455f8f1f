import type { ReactNode } from "react";
import style from "./field.module.css";
import { Group } from "./group.tsx";

interface CheckProps {
  readonly checked: boolean;
  readonly change: (isOn: boolean) => void;
  readonly disabled?: boolean;
  readonly children: ReactNode;
}

/** Something that is so, or is not. */
export const Check = ({ checked, change, disabled = false, children }: CheckProps) => (
  <label className={style.check}>
    <input
      type="checkbox"
      checked={checked}
      disabled={disabled}
      onChange={({ target }) => change(target.checked)}
    />
    {children}
  </label>
);

interface ChecksProps<Value extends string> {
  readonly label: string;
  readonly isLabelSeen?: boolean;
  readonly values: readonly Value[];
  readonly chosen: readonly Value[];
  /** With those that are chosen now, in the order of `values`. */
  readonly change: (chosen: Value[]) => void;
  readonly words?: (value: Value) => ReactNode;
  readonly problem?: string | undefined;
  readonly className?: string | undefined;
}

/** Any number of a few. */
export const Checks = <Value extends string>({
  label,
  isLabelSeen,
  values,
  chosen,
  change,
  words = (value) => value,
  problem,
  className,
}: ChecksProps<Value>) => (
  <Group label={label} isLabelSeen={isLabelSeen} className={className}>
    {values.map((value) => (
      <Check
        key={value}
        checked={chosen.includes(value)}
        change={(isOn) => change(values.filter((one) => (one === value ? isOn : chosen.includes(one))))}
      >
        {words(value)}
      </Check>
    ))}
    {problem !== undefined && <p role="alert">{problem}</p>}
  </Group>
);
