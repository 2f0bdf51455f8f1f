import { useQuery } from "@tanstack/react-query";
import { webhooks } from "../../api/queries.ts";
import { Choice } from "../../parts/choice.tsx";
import { checkClass, Fields } from "../../parts/field.tsx";
import { TextArea } from "../../parts/text-field.tsx";
import type { DraftProps } from "./condition-fields.tsx";
import type { ToldTo } from "./rule-draft.ts";

const TOLD: readonly ToldTo[] = ["all", "some", "none"];

/** The first thing said about any address. */
const emailProblem = (problems: ReadonlyMap<string, string>): string | undefined =>
  [...problems].find(([path]) => path.startsWith("notify.emails"))?.[1];

/** Who hears of the rule's alerts. */
export const ToldFields = ({ draft, change, problems }: DraftProps) => {
  const { data = [] } = useQuery(webhooks);
  const { toldTo, webhookIds, emails } = draft;
  return (
    <Fields legend="Whom it tells">
      <Choice
        legend="Webhooks"
        name="told-to"
        values={TOLD}
        chosen={toldTo}
        choose={(next) => change({ toldTo: next })}
        words={{ all: "every webhook that fits", some: "some webhooks", none: "no webhook" }}
      />
      {toldTo === "some" &&
        (data.length === 0 ? (
          <p>There is no webhook yet.</p>
        ) : (
          data.map(({ id, name, url }) => (
            <label key={id} className={checkClass}>
              <input
                type="checkbox"
                checked={webhookIds.includes(id)}
                onChange={({ target }) =>
                  change({
                    webhookIds: target.checked ? [...webhookIds, id] : webhookIds.filter((one) => one !== id),
                  })
                }
              />
              <bdi>{name ?? url}</bdi>
            </label>
          ))
        ))}
      {problems.has("notify.webhookIds") && <p role="alert">{problems.get("notify.webhookIds")}</p>}
      <TextArea
        label="E-mail addresses"
        hint="A line each. They hear when it fires and when it resolves."
        problem={emailProblem(problems)}
        rows={2}
        value={emails}
        change={(typed) => change({ emails: typed })}
      />
      <label className={checkClass}>
        <input
          type="checkbox"
          checked={draft.flapDetection}
          onChange={({ target }) => change({ flapDetection: target.checked })}
        />
        Hold back what changes more than 6 times in 10 minutes
      </label>
    </Fields>
  );
};
