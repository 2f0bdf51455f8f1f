import type { Condition } from "../../api/types.ts";
import { Choice } from "../../parts/choice.tsx";
import { Field, type FieldInput, Fields, inputClass, rowClass } from "../../parts/field.tsx";
import { TextField } from "../../parts/text-field.tsx";
import { SEVERITIES } from "./filter.ts";
import { LevelFields } from "./level-fields.tsx";
import type { RuleDraft } from "./rule-draft.ts";

export interface DraftProps {
  readonly draft: RuleDraft;
  readonly change: (part: Partial<RuleDraft>) => void;
  /** What the service says is wrong, by path. */
  readonly problems: ReadonlyMap<string, string>;
}

type NumberName = "value" | "upper" | "hysteresis" | "overSeconds" | "forSeconds" | "keepFiringForSeconds";
type LabelName = "valueLabel" | "upperLabel";

const OPERATORS: Readonly<Record<Condition["operator"], string>> = {
  below: "is below",
  above: "is above",
  outside: "is outside a band",
  change: "changes fast",
  noData: "is silent",
};
const isOperator = (text: string): text is Condition["operator"] => text in OPERATORS;

interface NumberProps extends DraftProps {
  readonly name: NumberName;
  readonly label: string;
  readonly hint?: string;
}

export const NumberField = ({ draft, change, problems, name, label, hint }: NumberProps) => {
  const path = name === "forSeconds" || name === "keepFiringForSeconds" ? name : `condition.${name}`;
  return (
    <Field label={label} hint={hint} problem={problems.get(path)}>
      {(input: FieldInput) => (
        <input
          {...input}
          type="number"
          step="any"
          inputMode="decimal"
          className={inputClass}
          value={draft[name]}
          onChange={({ target }) => change({ [name]: target.value })}
        />
      )}
    </Field>
  );
};

const LabelField = ({
  draft,
  change,
  problems,
  name,
  label,
}: DraftProps & { name: LabelName; label: string }) => (
  <TextField
    label={label}
    hint="A signal that carries its own limit in this label is compared with that."
    problem={problems.get(`condition.${name === "valueLabel" ? "valueFrom" : "upperFrom"}.label`)}
    maxLength={100}
    value={draft[name]}
    change={(typed) => change({ [name]: typed })}
  />
);

const unitOf = ({ metric, operator }: RuleDraft): string => {
  if (metric === "quality") return "from 0 to 1";
  return operator === "change" ? "dB" : "dBm";
};

/** What the rule compares, and how hard it is when it fires. */
export const ConditionFields = (props: DraftProps) => {
  const { draft, change, problems } = props;
  const { operator, metric, levels } = draft;
  const unit = unitOf(draft);
  const hasLevels = operator !== "outside" && operator !== "noData";
  return (
    <Fields legend="Fires when">
      <div className={rowClass}>
        {operator !== "noData" && (
          <Choice
            legend="What is compared"
            name="metric"
            values={["strength", "quality"]}
            chosen={metric}
            choose={(next) => change({ metric: next })}
          />
        )}
        <Field label="The signal" problem={problems.get("condition.operator")}>
          {(input) => (
            <select
              {...input}
              className={inputClass}
              value={operator}
              onChange={({ target }) => isOperator(target.value) && change({ operator: target.value })}
            >
              {Object.entries(OPERATORS).map(([value, words]) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      {operator !== "noData" && (levels === null || !hasLevels) && (
        <div className={rowClass}>
          <NumberField
            {...props}
            name="value"
            label={operator === "outside" ? `Lower end, ${unit}` : `Limit, ${unit}`}
          />
          {operator === "outside" && <NumberField {...props} name="upper" label={`Upper end, ${unit}`} />}
          {operator !== "change" && <LabelField {...props} name="valueLabel" label="Or of its own label" />}
          {operator === "outside" && (
            <LabelField {...props} name="upperLabel" label="Upper end of its own label" />
          )}
        </div>
      )}
      {operator === "change" && (
        <Choice
          legend="Which way"
          name="direction"
          values={["either", "rise", "fall"]}
          chosen={draft.direction}
          choose={(direction) => change({ direction })}
          words={{ either: "either way", rise: "up", fall: "down" }}
        />
      )}
      {hasLevels && <LevelFields {...props} unit={unit} />}
      <div className={rowClass}>
        {operator !== "noData" && (
          <NumberField
            {...props}
            name="hysteresis"
            label={`Hysteresis, ${metric === "quality" ? "quality" : "dB"}`}
            hint={`How far it must come back to clear. Empty: ${metric === "quality" ? "0.05" : "3 dB"}.`}
          />
        )}
        {(operator === "change" || operator === "noData") && (
          <NumberField
            {...props}
            name="overSeconds"
            label={operator === "change" ? "Within, seconds" : "For, seconds"}
            hint={operator === "change" ? "How far back it looks." : "A longer silence fires."}
          />
        )}
        {operator !== "noData" && (
          <NumberField
            {...props}
            name="forSeconds"
            label="Holds for, seconds"
            hint="A shorter dip does not fire."
          />
        )}
        <NumberField
          {...props}
          name="keepFiringForSeconds"
          label="Well for, seconds"
          hint="How long all must be well before it resolves."
        />
      </div>
      {(levels === null || !hasLevels) && (
        <Choice
          legend="Severity"
          name="severity"
          values={SEVERITIES}
          chosen={draft.severity}
          choose={(severity) => change({ severity })}
        />
      )}
    </Fields>
  );
};
