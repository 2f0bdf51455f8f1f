import { Field, inputClass } from "../../parts/field.tsx";

interface ShownOnProps {
  readonly ids: readonly string[];
  readonly shownId: string | null;
  /** Undefined: they are still to come. */
  readonly names: ReadonlyMap<string, string> | undefined;
  readonly choose: (id: string) => void;
}

/** On which signal's history a rule is drawn; nothing where there is none to choose. */
export const ShownOn = ({ ids, shownId, names, choose }: ShownOnProps) =>
  ids.length > 0 && (
    <Field label="Shown on">
      {(input) => (
        <select
          {...input}
          className={inputClass}
          value={shownId ?? ""}
          onChange={({ target }) => choose(target.value)}
        >
          {ids.map((id) => (
            <option key={id} value={id}>
              {names?.get(id) ?? id}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
