import { Button } from "../../parts/button.tsx";
import { Choice } from "../../parts/choice.tsx";
import { rowClass } from "../../parts/field.tsx";
import { Group } from "../../parts/group.tsx";
import { problemUnder } from "../../parts/problems-by-path.ts";
import { TextField } from "../../parts/text-field.tsx";
import formStyle from "./forms.module.css";
import style from "./source.module.css";
import { movedUp, STEP_KINDS, type StepDraft, withStep } from "./source-draft.ts";

const KIND_WORDS = { send: "send", expect: "wait for" } as const;

interface StepProps {
  readonly step: StepDraft;
  readonly number: number;
  readonly change: (part: Partial<StepDraft>) => void;
  readonly problems: ReadonlyMap<string, string>;
}

const StepFields = ({ step: { key, kind, text, timeoutSeconds }, number, change, problems }: StepProps) => {
  const path = `handshake.${number - 1}`;
  const late = problems.get(`${path}.timeoutSeconds`);
  return (
    <>
      <Choice
        legend={`What step ${number} does`}
        name={`step-${key}`}
        values={STEP_KINDS}
        chosen={kind}
        choose={(next) => change({ kind: next })}
        words={KIND_WORDS}
      />
      <div className={rowClass}>
        <TextField
          label={kind === "send" ? `Step ${number}: send` : `Step ${number}: wait for`}
          hint={
            kind === "send"
              ? "Such as a token or a subscription. It is sealed, and never shown again."
              : "A text that the message has in it, or a JSONPath that finds something, such as $.ok."
          }
          problem={late === undefined ? problemUnder(problems, path) : undefined}
          spellCheck={false}
          autoComplete="off"
          value={text}
          change={(typed) => change({ text: typed })}
        />
        {kind === "expect" && (
          <TextField
            label={`Step ${number}: for at most, seconds`}
            hint="Empty: 10."
            problem={late}
            type="number"
            step="any"
            value={timeoutSeconds}
            change={(typed) => change({ timeoutSeconds: typed })}
          />
        )}
      </div>
    </>
  );
};

interface HandshakeProps {
  readonly steps: readonly StepDraft[];
  readonly change: (steps: readonly StepDraft[]) => void;
  readonly problems: ReadonlyMap<string, string>;
}

/** What is said once a connection is there, and what is waited for between: step by step. */
export const HandshakeFields = ({ steps, change, problems }: HandshakeProps) => (
  <Group label="Once it is connected" className={formStyle.blocks}>
    {steps.length > 0 && (
      <ol className={style.steps} aria-label="Steps once it is connected">
        {steps.map((step, n) => (
          <li key={step.key} className={style.step}>
            <StepFields
              step={step}
              number={n + 1}
              change={(part) => change(steps.map((one) => (one === step ? { ...one, ...part } : one)))}
              problems={problems}
            />
            <div className={formStyle.buttons}>
              <Button
                kind="quiet"
                aria-label={`Move up step ${n + 1}`}
                // Not disabled: who has moved it to the top by keys stays where they are.
                aria-disabled={n === 0}
                onClick={() => change(movedUp(steps, step.key))}
              >
                Move up
              </Button>
              <Button
                kind="quiet"
                aria-label={`Remove step ${n + 1}`}
                onClick={() => change(steps.filter((one) => one !== step))}
              >
                Remove
              </Button>
            </div>
          </li>
        ))}
      </ol>
    )}
    <div className={formStyle.buttons}>
      <Button onClick={() => change(withStep(steps, "send"))}>Send something at first</Button>
      <Button onClick={() => change(withStep(steps, "expect"))}>Wait for a message at first</Button>
    </div>
  </Group>
);
