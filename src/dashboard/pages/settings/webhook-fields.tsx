import type { Webhook } from "../../api/types.ts";
import { Choice } from "../../parts/choice.tsx";
import { checkClass, Fields, rowClass } from "../../parts/field.tsx";
import { Group } from "../../parts/group.tsx";
import { pairsOf, pairsText } from "../../parts/pairs.ts";
import { SignalPicker } from "../../parts/signal-picker.tsx";
import { TextArea, TextField } from "../../parts/text-field.tsx";

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
type Severity = NonNullable<Webhook["filter"]["severities"]>[number];
const SEVERITIES: readonly Severity[] = ["info", "warning", "critical"];

/** A webhook while it is typed. */
export interface WebhookDraft {
  readonly name: string;
  readonly url: string;
  readonly events: readonly Kind[];
  readonly enabled: boolean;
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
  enabled: true,
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
  enabled: webhook.enabled,
  signing: webhook.signing,
  signalIds: webhook.filter.signalIds ?? [],
  labels: pairsText(webhook.filter.labels ?? {}),
  severities: webhook.filter.severities ?? [],
  ratePerSecond: webhook.ratePerSecond === null ? "" : String(webhook.ratePerSecond),
  groups: webhook.groups,
});

export const webhookOf = (draft: WebhookDraft) => {
  const labels = pairsOf(draft.labels);
  const { url, enabled, signing, groups, name, events, signalIds, severities, ratePerSecond } = draft;
  return {
    url,
    enabled,
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

const turned = <Value,>(
  all: readonly Value[],
  chosen: readonly Value[],
  one: Value,
  isOn: boolean,
): Value[] => all.filter((value) => (value === one ? isOn : chosen.includes(value)));

const Groups = ({ draft, change, problems }: FieldsProps) => {
  const { groups } = draft;
  return (
    <>
      <label className={checkClass}>
        <input
          type="checkbox"
          checked={groups !== null}
          onChange={({ target }) =>
            change({
              groups: target.checked ? { waitSeconds: 10, intervalSeconds: 300, minSignals: 2 } : null,
            })
          }
        />
        Tell failures of one source together
      </label>
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
  const under = (path: string) =>
    [...problems].find(([one]) => one === path || one.startsWith(`${path}.`))?.[1];
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
        <Group label="Events">
          {KINDS.map((kind) => (
            <label key={kind} className={checkClass}>
              <input
                type="checkbox"
                checked={draft.events.includes(kind)}
                onChange={({ target }) =>
                  change({ events: turned(KINDS, draft.events, kind, target.checked) })
                }
              />
              <code>{kind}</code>
            </label>
          ))}
          {under("events") !== undefined && <p role="alert">{under("events")}</p>}
        </Group>
        <Groups {...props} />
      </Fields>
      <Fields legend="Of which signals">
        <SignalPicker
          ids={draft.signalIds}
          change={(signalIds) => change({ signalIds })}
          problem={under("filter.signalIds")}
        />
        <TextArea
          label="With these labels"
          hint="Such as site=north, a line each."
          problem={under("filter.labels")}
          rows={2}
          value={draft.labels}
          change={(typed) => change({ labels: typed })}
        />
        <Group label="Alerts of these severities; none chosen: all">
          {SEVERITIES.map((severity) => (
            <label key={severity} className={checkClass}>
              <input
                type="checkbox"
                checked={draft.severities.includes(severity)}
                onChange={({ target }) =>
                  change({ severities: turned(SEVERITIES, draft.severities, severity, target.checked) })
                }
              />
              {severity} alerts
            </label>
          ))}
        </Group>
      </Fields>
    </>
  );
};
