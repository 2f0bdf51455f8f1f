import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { called, signalNames, signalsFound } from "../api/queries.ts";
import { Chip } from "./chip.tsx";
import { Field, inputClass } from "./field.tsx";
import style from "./signal-picker.module.css";

interface PickerProps {
  readonly ids: readonly string[];
  readonly change: (ids: readonly string[]) => void;
  readonly problem?: string | undefined;
}

/** Chooses signals by typing a part of their names; none chosen means all. */
export const SignalPicker = ({ ids, change, problem }: PickerProps) => {
  const [text, setText] = useState("");
  const names = useQuery(signalNames(ids));
  const found = useQuery({ ...signalsFound(text.trim()), enabled: text.trim() !== "" });
  const offered = called(found.data?.signals ?? [], text.trim()).filter(({ id }) => !ids.includes(id));
  const pick = (id: string) => {
    change([...ids, id]);
    setText("");
  };
  const first = offered[0]?.id;
  return (
    <div className={style.picker}>
      <Field
        label="Only these signals"
        hint="By a part of the name. None chosen: every signal that fits the rest."
        problem={problem}
      >
        {(input) => (
          <input
            {...input}
            type="search"
            className={inputClass}
            maxLength={200}
            autoComplete="off"
            value={text}
            onChange={({ target }) => setText(target.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter") return;
              // The form is not meant.
              event.preventDefault();
              if (first !== undefined) pick(first);
            }}
          />
        )}
      </Field>
      {text.trim() !== "" && (
        <ul className={style.offered} aria-label="Signals found">
          {offered.map(({ id, name }) => (
            <li key={id}>
              <button type="button" onClick={() => pick(id)}>
                <bdi>{name}</bdi>
              </button>
            </li>
          ))}
          {found.data !== undefined && offered.length === 0 && <li>No signal is called like this.</li>}
        </ul>
      )}
      {ids.length > 0 && (
        <div className={style.chosen}>
          {ids.map((id) => (
            <Chip
              key={id}
              does={`Leave out ${names.data?.get(id) ?? id}`}
              text={names.data?.get(id) ?? id}
              remove={() => change(ids.filter((one) => one !== id))}
            />
          ))}
        </div>
      )}
    </div>
  );
};
