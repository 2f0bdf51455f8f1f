import { type ReactNode, useId } from "react";
import style from "./field.module.css";

/** What ties an input to its label, its hint and what is wrong with it. */
export interface FieldInput {
  readonly id: string;
  readonly "aria-describedby"?: string;
  readonly "aria-invalid"?: true;
}

export interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  /** What the service says is wrong. */
  readonly problem?: string | undefined;
  readonly children: (input: FieldInput) => ReactNode;
}

/** An input with its name above, what it means below, and beside it what is wrong. */
export const Field = ({ label, hint, problem, children }: FieldProps) => {
  const id = useId();
  const described = [hint === undefined ? "" : `${id}-hint`, problem === undefined ? "" : `${id}-problem`];
  const describedBy = described.filter((one) => one !== "").join(" ");
  return (
    <div className={style.field}>
      <label htmlFor={id} className={style.label}>
        {label}
      </label>
      {children({
        id,
        ...(describedBy === "" ? {} : { "aria-describedby": describedBy }),
        ...(problem === undefined ? {} : { "aria-invalid": true }),
      })}
      {hint !== undefined && (
        <p id={`${id}-hint`} className={style.hint}>
          {hint}
        </p>
      )}
      {problem !== undefined && (
        <p id={`${id}-problem`} className={style.problem} role="alert">
          {problem}
        </p>
      )}
    </div>
  );
};

/** Some inputs that are about one thing. */
export const Fields = ({ legend, children }: { legend: string; children: ReactNode }) => (
  <fieldset className={style.fields}>
    <legend className={style.legend}>{legend}</legend>
    {children}
  </fieldset>
);

export const inputClass = style.input;
export const rowClass = style.row;
