import { useQuery } from "@tanstack/react-query";
import { webhooks } from "../../api/queries.ts";
import { Check } from "../../parts/check.tsx";
import { Choice } from "../../parts/choice.tsx";
import { Fields } from "../../parts/field.tsx";
import { problemUnder } from "../../parts/problems-by-path.ts";
import { TextArea } from "../../parts/text-field.tsx";
import type { DraftProps } from "./condition-fields.tsx";
import type { ToldTo } from "./rule-draft.ts";

const TOLD: readonly ToldTo[] = ["all", "some", "none"];

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
            <Check
              key={id}
              checked={webhookIds.includes(id)}
              change={(isOn) =>
                change({ webhookIds: isOn ? [...webhookIds, id] : webhookIds.filter((one) => one !== id) })
              }
            >
              <bdi>{name ?? url}</bdi>
            </Check>
          ))
        ))}
      {problems.has("notify.webhookIds") && <p role="alert">{problems.get("notify.webhookIds")}</p>}
      <TextArea
        label="E-mail addresses"
        hint="A line each. They hear when it fires and when it resolves."
        problem={problemUnder(problems, "notify.emails")}
        rows={2}
        value={emails}
        change={(typed) => change({ emails: typed })}
      />
      <Check checked={draft.flapDetection} change={(flapDetection) => change({ flapDetection })}>
        Hold back what changes more than 6 times in 10 minutes
      </Check>
    </Fields>
  );
};
