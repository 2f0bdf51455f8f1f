import { useQuery } from "@tanstack/react-query";
import { sources } from "../../api/queries.ts";
import { Field, Fields, inputClass } from "../../parts/field.tsx";
import { problemUnder } from "../../parts/problems-by-path.ts";
import { SignalPicker } from "../../parts/signal-picker.tsx";
import { TextArea } from "../../parts/text-field.tsx";
import type { Selected } from "./select.ts";

interface SelectProps {
  readonly legend: string;
  readonly selected: Selected;
  readonly change: (part: Partial<Selected>) => void;
  readonly problems: ReadonlyMap<string, string>;
}

/** Which signals something is about: all that is named must fit, and nothing named means every signal. */
export const SelectFields = ({ legend, selected, change, problems }: SelectProps) => {
  const { data = [] } = useQuery(sources);
  return (
    <Fields legend={legend}>
      <SignalPicker
        ids={selected.signalIds}
        change={(signalIds) => change({ signalIds })}
        problem={problemUnder(problems, "select.signalIds")}
      />
      <TextArea
        label="With these labels"
        hint="Such as site=north, a line each."
        problem={problemUnder(problems, "select.labels")}
        rows={2}
        value={selected.labels}
        change={(typed) => change({ labels: typed })}
      />
      {data.length > 0 && (
        <Field label="Of this source" problem={problemUnder(problems, "select.sourceId")}>
          {(input) => (
            <select
              {...input}
              className={inputClass}
              value={selected.sourceId}
              onChange={({ target }) => change({ sourceId: target.value })}
            >
              <option value="">any</option>
              {data.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
    </Fields>
  );
};
