import { COMPACT_STATUS, type ServerMessage } from "../../../schemas/stream.ts";
import { shownQuality } from "../../domain/quality.ts";
import { timestamp } from "../answers.ts";
import type { FeedEntry } from "../event-ring.ts";
import type { LiveValue } from "../live-value.ts";

/** A value that can be shown: it has a reading, and its scale is known. */
export interface Shown {
  readonly signalId: string;
  readonly value: LiveValue;
  readonly atMs: number;
  readonly strength: number;
  readonly quality: number;
}

/** A signal that has never reported. */
export interface Unreported {
  readonly signalId: string;
  readonly value: LiveValue;
  readonly atMs: null;
}

/** Null while there is no reading or no scale yet. */
export const shownOf = (signalId: string, value: LiveValue): Shown | null => {
  const { atMs, strength, scale } = value;
  if (atMs === null || strength === null || scale === null) return null;
  return {
    signalId,
    value,
    atMs,
    strength,
    quality: shownQuality(strength, scale.floorDbm, scale.ceilingDbm),
  };
};

export const message = (content: ServerMessage): string => JSON.stringify(content);

/** The event's own text goes out unchanged: the same object as everywhere. */
export const eventFrames = (subscription: string): ((entry: FeedEntry) => string) => {
  const head = `{"type":"event","id":${JSON.stringify(subscription)},"event":`;
  return ({ text }) => `${head}${text}}`;
};

/** The text of an event holds no line end: it is JSON on one line. */
export const serverSentEvent = ({ id, kind, text }: FeedEntry): string =>
  `id: ${id}\nevent: ${kind}\ndata: ${text}\n\n`;

/** Made once a value, however many streams show it. */
const readingText = ({ signalId, value, atMs, strength, quality }: Shown): string => {
  value.text ??= `{"signalId":"${signalId}","at":"${timestamp(atMs)}","strength":${strength},"quality":${quality},"status":"${value.status}"}`;
  return value.text;
};

/** What a subscription tells of a signal. */
export type Told = Shown | Unreported;
const isShown = (told: Told): told is Shown => told.atMs !== null;

/** Turns what is told of signals into the frames of one subscription. */
export type ReadingFrames = (told: readonly Told[]) => string[];

/** Who asks for this one asks for no signals without a reading. */
export const jsonFrames = (subscription: string): ReadingFrames => {
  const head = `{"type":"readings","id":${JSON.stringify(subscription)},"readings":[`;
  return (told) => [`${head}${told.filter(isShown).map(readingText).join(",")}]}`];
};

const figuresOf = (one: Told, base: number): string =>
  isShown(one)
    ? `${one.atMs - base},${one.strength},${Math.round(one.quality * 1e4) / 1e4}`
    : "null,null,null";

/** Arrays instead of objects: a signal is named once, by a number that the rows then use. */
export const compactFrames = (subscription: string): ReadingFrames => {
  const id = JSON.stringify(subscription);
  const handles = new Map<string, number>();
  const name = (told: readonly Told[]): string[] => {
    const fresh: Record<number, string> = {};
    for (const { signalId } of told) {
      if (handles.has(signalId)) continue;
      fresh[handles.size] = signalId;
      handles.set(signalId, handles.size);
    }
    return Object.keys(fresh).length === 0
      ? []
      : [`{"type":"signals","id":${id},"handles":${JSON.stringify(fresh)}}`];
  };
  return (told) => {
    const names = name(told);
    const base = told.find(isShown)?.atMs ?? 0;
    const rows = told.map(
      (one) =>
        `[${handles.get(one.signalId)},${figuresOf(one, base)},${COMPACT_STATUS.indexOf(one.value.status)}]`,
    );
    return [...names, `{"type":"readings","id":${id},"base":${base},"readings":[${rows.join(",")}]}`];
  };
};
