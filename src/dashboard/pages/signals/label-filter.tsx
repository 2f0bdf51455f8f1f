import { type FormEvent, useId, useRef, useState } from "react";
import { Button } from "../../parts/button.tsx";
import { Chip } from "../../parts/chip.tsx";
import { labelTyped } from "./filter.ts";
import style from "./filter-bar.module.css";

const LABEL_MAX = 300;

interface LabelProps {
  readonly labels: readonly string[];
  readonly add: (label: string) => void;
  readonly remove: (label: string) => void;
}

/** Labels that a signal must have, all of them: each is typed, and can be taken away again. */
export const LabelFilter = ({ labels, add, remove }: LabelProps) => {
  const [text, setText] = useState("");
  const [isRefused, setRefused] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const hintId = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const label = labelTyped(text);
    setRefused(label === null && text.trim() !== "");
    if (label !== null) {
      add(label);
      setText("");
    }
    input.current?.focus();
  };
  return (
    <>
      <form className={style.label} onSubmit={submit}>
        <input
          ref={input}
          className={style.text}
          aria-label="Label, such as site:north"
          aria-describedby={isRefused ? hintId : undefined}
          aria-invalid={isRefused}
          placeholder="Label, such as site:north"
          maxLength={LABEL_MAX}
          autoComplete="off"
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            setRefused(false);
          }}
          onKeyDown={(event) => {
            // Elsewhere in a search it leads on to what was found.
            if (event.key === "Enter") event.stopPropagation();
          }}
        />
        <Button type="submit">Add</Button>
      </form>
      {isRefused && (
        <span id={hintId} role="alert" className={style.refused}>
          A label is a name and a value, such as site:north.
        </span>
      )}
      {labels.map((label) => (
        <Chip
          key={label}
          does={`Do not filter by label ${label}`}
          text={label}
          remove={() => {
            remove(label);
            input.current?.focus();
          }}
        />
      ))}
    </>
  );
};
