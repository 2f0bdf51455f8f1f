import type { InputHTMLAttributes, TextareaHTMLAttributes } from "react";
import { Field, type FieldProps, inputClass } from "./field.tsx";

interface Typed {
  readonly value: string;
  readonly change: (typed: string) => void;
}
type Named = Omit<FieldProps, "children">;
type Own = "id" | "className" | "onChange" | "value";

/** A line to be typed. */
export const TextField = ({
  label,
  hint,
  problem,
  change,
  ...more
}: Named & Typed & Omit<InputHTMLAttributes<HTMLInputElement>, Own>) => (
  <Field label={label} hint={hint} problem={problem}>
    {(input) => (
      <input {...input} {...more} className={inputClass} onChange={({ target }) => change(target.value)} />
    )}
  </Field>
);

/** Some lines to be typed. */
export const TextArea = ({
  label,
  hint,
  problem,
  change,
  ...more
}: Named & Typed & Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, Own>) => (
  <Field label={label} hint={hint} problem={problem}>
    {(input) => (
      <textarea {...input} {...more} className={inputClass} onChange={({ target }) => change(target.value)} />
    )}
  </Field>
);
