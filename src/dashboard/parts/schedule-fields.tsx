import type { Schedule } from "../api/types.ts";
import { Button } from "./button.tsx";
import { Check, Checks } from "./check.tsx";
import { Field, inputClass, rowClass } from "./field.tsx";
import { problemUnder } from "./problems-by-path.ts";
import style from "./schedule-fields.module.css";
import { TextField } from "./text-field.tsx";

type ScheduleWindow = Schedule["windows"][number];
const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
const NEW_WINDOW: ScheduleWindow = { days: ["mon", "tue", "wed", "thu", "fri"], from: "08:00", to: "18:00" };
const zoneHere = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

interface WindowProps {
  readonly window: ScheduleWindow;
  readonly change: (window: ScheduleWindow) => void;
  readonly remove: (() => void) | null;
}

const WindowFields = ({ window, change, remove }: WindowProps) => {
  return (
    <li className={style.window}>
      <Checks
        label="Days on which it begins"
        values={DAYS}
        chosen={window.days ?? DAYS}
        change={(days) => change({ ...window, days })}
        className={style.days}
      />
      <div className={rowClass}>
        <TextField
          label="From"
          type="time"
          value={window.from}
          change={(typed) => change({ ...window, from: typed })}
        />
        <TextField
          label="To"
          hint="At or before the start: on the next day."
          type="time"
          value={window.to === "24:00" ? "00:00" : window.to}
          change={(typed) => change({ ...window, to: typed })}
        />
        {remove !== null && <Button onClick={remove}>Remove these hours</Button>}
      </div>
    </li>
  );
};

interface ScheduleProps {
  readonly schedule: Schedule | null;
  readonly change: (schedule: Schedule | null) => void;
  readonly problems: ReadonlyMap<string, string>;
  /** What is so in these hours: "The rule looks only at certain hours". */
  readonly label: string;
}

/** Hours of the week, by the clock of a zone. */
export const ScheduleFields = ({ schedule, change, problems, label }: ScheduleProps) => {
  const problem = problemUnder(problems, "schedule.windows");
  return (
    <>
      <Check
        checked={schedule !== null}
        change={(isOn) => change(isOn ? { timeZone: zoneHere(), windows: [NEW_WINDOW] } : null)}
      >
        {label}
      </Check>
      {schedule !== null && (
        <>
          <Field
            label="Time zone"
            hint="Such as Europe/Berlin; its clock changes count."
            problem={problems.get("schedule.timeZone")}
          >
            {(input) => (
              <>
                <input
                  {...input}
                  list="zones"
                  className={inputClass}
                  value={schedule.timeZone}
                  onChange={({ target }) => change({ ...schedule, timeZone: target.value })}
                />
                <datalist id="zones">
                  {Intl.supportedValuesOf("timeZone").map((name) => (
                    <option key={name} value={name} />
                  ))}
                </datalist>
              </>
            )}
          </Field>
          <ul className={style.windows} aria-label="Hours">
            {schedule.windows.map((window, at) => (
              <WindowFields
                // Hours may be the same twice while they are typed, and never change places.
                // biome-ignore lint/suspicious/noArrayIndexKey: there is nothing else to tell them by
                key={at}
                window={window}
                change={(next) =>
                  change({ ...schedule, windows: schedule.windows.map((one, n) => (n === at ? next : one)) })
                }
                remove={
                  schedule.windows.length > 1
                    ? () => change({ ...schedule, windows: schedule.windows.filter((_, n) => n !== at) })
                    : null
                }
              />
            ))}
          </ul>
          {problem !== undefined && <p role="alert">{problem}</p>}
          <div>
            <Button onClick={() => change({ ...schedule, windows: [...schedule.windows, NEW_WINDOW] })}>
              More hours
            </Button>
          </div>
        </>
      )}
    </>
  );
};
