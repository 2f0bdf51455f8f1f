import { Button } from "../../parts/button.tsx";
import { TextField } from "../../parts/text-field.tsx";
import type { DraftProps } from "./condition-fields.tsx";
import { SEVERITIES } from "./filter.ts";
import style from "./rule.module.css";
import type { LevelDraft } from "./rule-draft.ts";

const START: readonly LevelDraft[] = [
  { severity: "warning", value: "" },
  { severity: "critical", value: "" },
];

/** Limits that are the harder the further it goes, in place of one. */
export const LevelFields = ({ draft, change, problems, unit }: DraftProps & { readonly unit: string }) => {
  const { levels } = draft;
  if (levels === null)
    return (
      <div>
        <Button
          kind="quiet"
          onClick={() =>
            change({ levels: START.map((level, n) => (n === 0 ? { ...level, value: draft.value } : level)) })
          }
        >
          Several severities
        </Button>
      </div>
    );
  const put = (at: number, part: Partial<LevelDraft>) =>
    change({ levels: levels.map((level, n) => (n === at ? { ...level, ...part } : level)) });
  const left = SEVERITIES.filter((one) => !levels.some(({ severity }) => severity === one));
  return (
    <>
      <ul className={style.levels} aria-label="Severities, the mildest first">
        {levels.map(({ severity, value }, at) => (
          <li key={severity}>
            <TextField
              label={`${severity} from, ${unit}`}
              problem={problems.get(`levels.${at}.value`) ?? problems.get(`levels.${at}.severity`)}
              type="number"
              step="any"
              value={value}
              change={(typed) => put(at, { value: typed })}
            />
            {levels.length > 2 && (
              <Button kind="quiet" onClick={() => change({ levels: levels.filter((_, n) => n !== at) })}>
                Remove
              </Button>
            )}
          </li>
        ))}
      </ul>
      <div className={style.chips}>
        {left.map((severity) => (
          <Button
            key={severity}
            onClick={() =>
              change({
                levels: SEVERITIES.flatMap((one) =>
                  one === severity
                    ? [{ severity, value: "" }]
                    : levels.filter((level) => level.severity === one),
                ),
              })
            }
          >
            Add {severity}
          </Button>
        ))}
        <Button
          kind="quiet"
          onClick={() =>
            change({
              levels: null,
              value: levels[0]?.value ?? "",
              severity: levels[0]?.severity ?? "warning",
            })
          }
        >
          One severity
        </Button>
      </div>
    </>
  );
};
