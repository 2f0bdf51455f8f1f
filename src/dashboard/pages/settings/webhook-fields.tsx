import type { Severity } from "../../api/queries.ts";
import type { Webhook } from "../../api/types.ts";
import { Check, Checks } from "../../parts/check.tsx";
import { Choice } from "../../parts/choice.tsx";
import { Fields, rowClass } from "../../parts/field.tsx";
import { pairsOf, pairsText } from "../../parts/pairs.ts";
import { problemUnder } from "../../parts/problems-by-path.ts";
import { SignalPicker } from "../../parts/signal-picker.tsx";
import { TextArea, TextField } from "../../parts/text-field.tsx";
import { SEVERITIES } from "../alerts/filter.ts";

type Kind = Webhook["events"][number];
export const KINDS: readonly Kind[] = [
  "signal.failed",
  "signal.updated",
  "signal.created",
  "signal.deleted",
  "alert.firing",
  "alert.resolved",
  "alert.acknowledged",
  "source.connected",
  "source.disconnected",
  "webhook.disabled",
];

/** A webhook while it is typed. */
export interface WebhookDraft {
  readonly name: string;
  readonly url: string;
  readonly events: readonly Kind[];
  readonly signing: boolean;
  readonly signalIds: readonly string[];
  readonly labels: string;
  readonly severities: readonly Severity[];
  readonly ratePerSecond: string;
  /** Null: each failure comes by itself. */
  readonly groups: Webhook["groups"];
}
export const NEW_WEBHOOK: WebhookDraft = {
  name: "",
  url: "",
  events: ["signal.failed", "signal.updated"],
  signing: true,
  signalIds: [],
  labels: "",
  severities: [],
  ratePerSecond: "",
  groups: null,
};

export const webhookDraftOf = (webhook: Webhook): WebhookDraft => ({
  name: webhook.name ?? "",
  url: webhook.url,
  events: webhook.events,
  signing: webhook.signing,
  signalIds: webhook.filter.signalIds ?? [],
  labels: pairsText(webhook.filter.labels ?? {}),
  severities: webhook.filter.severities ?? [],
  ratePerSecond: webhook.ratePerSecond === null ? "" : String(webhook.ratePerSecond),
  groups: webhook.groups,
});

/** As the API takes it: whether it is on is said elsewhere. */
export const webhookOf = (draft: WebhookDraft) => {
  const labels = pairsOf(draft.labels);
  const { url, signing, groups, name, events, signalIds, severities, ratePerSecond } = draft;
  return {
    url,
    signing,
    groups,
    name: name.trim() === "" ? null : name.trim(),
    events: [...events],
    filter: {
      ...(signalIds.length === 0 ? {} : { signalIds: [...signalIds] }),
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      ...(severities.length === 0 ? {} : { severities: [...severities] }),
    },
    ratePerSecond: ratePerSecond.trim() === "" ? null : Number(ratePerSecond),
  };
};

interface FieldsProps {
  readonly draft: WebhookDraft;
  readonly change: (part: Partial<WebhookDraft>) => void;
  readonly problems: ReadonlyMap<string, string>;
}

const Groups = ({ draft, change, problems }: FieldsProps) => {
  const { groups } = draft;
  return (
    <>
      <Check
        checked={groups !== null}
        change={(isOn) =>
          change({ groups: isOn ? { waitSeconds: 10, intervalSeconds: 300, minSignals: 2 } : null })
        }
      >
        Tell failures of one source together
      </Check>
      {groups !== null && (
        <div className={rowClass}>
          {(
            [
              ["waitSeconds", "Waits for others, seconds"],
              ["intervalSeconds", "Then once in, seconds"],
              ["minSignals", "From so many signals"],
            ] as const
          ).map(([name, label]) => (
            <TextField
              key={name}
              label={label}
              problem={problems.get(`groups.${name}`)}
              type="number"
              value={String(groups[name])}
              change={(typed) => change({ groups: { ...groups, [name]: Number(typed) } })}
            />
          ))}
        </div>
      )}
    </>
  );
};

/** Where events are sent, and which. */
export const WebhookFields = (props: FieldsProps) => {
  const { draft, change, problems } = props;
  return (
    <>
      <Fields legend="Where to">
        <div className={rowClass}>
          <TextField
            label="Address"
            problem={problems.get("url")}
            type="url"
            placeholder="https://example.com/hooks/signals"
            value={draft.url}
            change={(typed) => change({ url: typed })}
          />
          <TextField
            label="Name"
            hint="May be empty."
            problem={problems.get("name")}
            maxLength={200}
            value={draft.name}
            change={(typed) => change({ name: typed })}
          />
          <TextField
            label="At most, a second"
            hint="Empty: no limit."
            problem={problems.get("ratePerSecond")}
            type="number"
            step="any"
            value={draft.ratePerSecond}
            change={(typed) => change({ ratePerSecond: typed })}
          />
        </div>
        <Choice
          legend="Signing"
          name="signing"
          values={["signed", "unsigned"]}
          chosen={draft.signing ? "signed" : "unsigned"}
          choose={(next) => change({ signing: next === "signed" })}
          words={{ signed: "requests are signed", unsigned: "not signed" }}
        />
      </Fields>
      <Fields legend="What it is told">
        <Checks
          label="Events"
          values={KINDS}
          chosen={draft.events}
          change={(events) => change({ events })}
          words={(kind) => <code>{kind}</code>}
          problem={problemUnder(problems, "events")}
        />
        <Groups {...props} />
      </Fields>
      <Fields legend="Of which signals">
        <SignalPicker
          ids={draft.signalIds}
          change={(signalIds) => change({ signalIds })}
          problem={problemUnder(problems, "filter.signalIds")}
        />
        <TextArea
          label="With these labels"
          hint="Such as site=north, a line each."
          problem={problemUnder(problems, "filter.labels")}
          rows={2}
          value={draft.labels}
          change={(typed) => change({ labels: typed })}
        />
        <Checks
          label="Only alerts of these severities; none chosen: all"
          isLabelSeen
          values={SEVERITIES}
          chosen={draft.severities}
          change={(severities) => change({ severities })}
          words={(severity) => `${severity} alerts`}
        />
      </Fields>
    </>
  );
};
