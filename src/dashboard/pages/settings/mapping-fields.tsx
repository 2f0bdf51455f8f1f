import { useMemo, useState } from "react";
import { serverClock } from "../../api/server-clock.ts";
import type { Mapping } from "../../api/types.ts";
import { Button } from "../../parts/button.tsx";
import { Choice } from "../../parts/choice.tsx";
import { Fields, rowClass } from "../../parts/field.tsx";
import { Group } from "../../parts/group.tsx";
import { pairsOf, pairsText } from "../../parts/pairs.ts";
import { Raw } from "../../parts/raw.tsx";
import { TextArea, TextField } from "../../parts/text-field.tsx";
import { previewOf } from "./mapping-preview.ts";
import { Readings } from "./mapping-readings.tsx";
import { MessageTree } from "./message-tree.tsx";
import style from "./source.module.css";
import { type Part, type Place, partsOf, pointedAt } from "./source-paths.ts";

export const PRESETS = ["default", "ttn-v3", "chirpstack-v4", "own"] as const;
export type Preset = (typeof PRESETS)[number];
const PRESET_WORDS = {
  default: "signalId, strength, at",
  "ttn-v3": "The Things Network",
  "chirpstack-v4": "ChirpStack",
  own: "your own",
} as const;

const UNITS = ["dBm", "mW", "percent", "scaled"] as const;
type Unit = (typeof UNITS)[number];
const UNIT_WORDS = { percent: "% of −100 to −50 dBm", scaled: "a number to scale" } as const;

/** A mapping while it is made. */
export interface MappingDraft {
  readonly preset: Preset;
  readonly each: string;
  readonly signal: string;
  readonly strength: string;
  readonly at: string;
  readonly unit: Unit;
  readonly scale: string;
  readonly offset: string;
  /** `name=path`, a line each. */
  readonly labels: string;
}
export const NEW_MAPPING: MappingDraft = {
  preset: "default",
  each: "",
  signal: "",
  strength: "",
  at: "",
  unit: "dBm",
  scale: "1",
  offset: "0",
  labels: "",
};

const unitOf = (unit: Extract<Mapping, { readonly signal: string }>["unit"]) =>
  typeof unit === "object"
    ? { unit: "scaled" as const, scale: String(unit.scale), offset: String(unit.offset) }
    : { unit: unit ?? "dBm" };

export const mappingDraftOf = (mapping: Mapping): MappingDraft => {
  if ("preset" in mapping) return { ...NEW_MAPPING, preset: mapping.preset };
  const { each = "", signal, strength, at = "", unit, labels = {} } = mapping;
  return {
    ...NEW_MAPPING,
    preset: "own",
    each,
    signal,
    strength,
    at,
    ...unitOf(unit),
    labels: pairsText(labels),
  };
};

export const mappingOf = (draft: MappingDraft): Mapping => {
  const { preset, each, signal, strength, at, unit, scale, offset } = draft;
  if (preset !== "own") return { preset };
  const labels = pairsOf(draft.labels);
  return {
    ...(each === "" ? {} : { each }),
    signal,
    strength,
    ...(at === "" ? {} : { at }),
    ...(unit === "dBm"
      ? {}
      : { unit: unit === "scaled" ? { scale: Number(scale), offset: Number(offset) } : unit }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
  };
};

const PATHS = [
  ["each", "For each of"],
  ["signal", "Signal"],
  ["strength", "Strength"],
  ["at", "Time"],
] as const;

interface MappingProps {
  readonly draft: MappingDraft;
  readonly change: (draft: MappingDraft) => void;
  /** What came from the source, as text. */
  readonly payloads: readonly string[];
}

const NO_PARTS: ReadonlyMap<string, Part> = new Map();

/** What has to be said, and is not yet. */
const missingOf = ({ preset, signal, strength }: MappingDraft): string | null => {
  if (preset !== "own" || (signal !== "" && strength !== "")) return null;
  if (signal === "" && strength === "") return "Say which values are the signal and the strength.";
  return `Say which value is the ${signal === "" ? "signal" : "strength"}, too.`;
};

const treeOf = (payload: string | undefined) => {
  try {
    return { value: JSON.parse(payload ?? "") };
  } catch {
    return null;
  }
};

/** Which values of a message are readings: pointed at, or written as JSONPath; with what that comes to. */
export const MappingFields = ({ draft, change, payloads }: MappingProps) => {
  const [chosen, setChosen] = useState(0);
  // Another time there may be fewer.
  const shown = Math.min(chosen, Math.max(0, payloads.length - 1));
  const payload = payloads[shown];
  const tree = useMemo(() => treeOf(payload), [payload]);
  const parts = useMemo(
    () => (tree === null || draft.preset !== "own" ? NO_PARTS : partsOf(tree.value, draft)),
    [tree, draft],
  );
  const missing = missingOf(draft);
  const preview = useMemo(() => previewOf(mappingOf(draft), payloads, serverClock.now()), [draft, payloads]);
  const point = (part: Part, place: Place) => {
    if (tree !== null) change({ ...draft, preset: "own", ...pointedAt(tree.value, draft, part, place) });
  };
  return (
    <Fields legend="What it says">
      <Choice
        legend="How it is written"
        name="preset"
        values={PRESETS}
        chosen={draft.preset}
        choose={(preset) => change({ ...draft, preset })}
        words={PRESET_WORDS}
      />
      <div className={style.split} data-alone={payload === undefined ? "" : undefined}>
        <div className={style.side}>
          {payloads.length > 1 && (
            <Group label="Messages" className={style.messages}>
              {payloads.map((_, n) => (
                // Messages are often alike.
                // biome-ignore lint/suspicious/noArrayIndexKey: there is nothing else to tell them by
                <Button key={n} kind="quiet" aria-pressed={n === shown} onClick={() => setChosen(n)}>
                  {n + 1}
                </Button>
              ))}
            </Group>
          )}
          {tree !== null && <MessageTree key={payload} value={tree.value} parts={parts} choose={point} />}
          {tree === null && payload !== undefined && <Raw what="The message" text={payload} />}
        </div>
        <div className={style.side}>
          {draft.preset === "own" && (
            <div className={rowClass}>
              {PATHS.map(([name, label]) => (
                <TextField
                  key={name}
                  label={label}
                  hint={name === "each" ? "Where there are several in a message." : undefined}
                  spellCheck={false}
                  maxLength={500}
                  value={draft[name]}
                  change={(typed) => change({ ...draft, [name]: typed })}
                />
              ))}
            </div>
          )}
          {draft.preset === "own" && (
            <>
              <Choice
                legend="Unit of strength"
                name="unit"
                values={UNITS}
                chosen={draft.unit}
                choose={(unit) => change({ ...draft, unit })}
                words={UNIT_WORDS}
              />
              {draft.unit === "scaled" && (
                <div className={rowClass}>
                  {(["scale", "offset"] as const).map((name) => (
                    <TextField
                      key={name}
                      label={name}
                      hint="dBm = number × scale + offset"
                      type="number"
                      step="any"
                      value={draft[name]}
                      change={(typed) => change({ ...draft, [name]: typed })}
                    />
                  ))}
                </div>
              )}
              <TextArea
                label="Labels of new signals"
                hint="Such as site=$.location.site, a line each."
                rows={2}
                spellCheck={false}
                value={draft.labels}
                change={(typed) => change({ ...draft, labels: typed })}
              />
            </>
          )}
          {missing !== null && <p role="status">{missing}</p>}
          {missing === null && typeof preview === "string" && <p role="alert">▲ {preview}</p>}
          {missing === null && typeof preview !== "string" && payloads.length > 0 && (
            <Readings {...preview} />
          )}
        </div>
      </div>
    </Fields>
  );
};
