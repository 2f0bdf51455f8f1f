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

/** Turns readings into the frames of one subscription. */
export type ReadingFrames = (readings: readonly Shown[]) => string[];

export const jsonFrames = (subscription: string): ReadingFrames => {
  const head = `{"type":"readings","id":${JSON.stringify(subscription)},"readings":[`;
  return (readings) => [`${head}${readings.map(readingText).join(",")}]}`];
};

/** Arrays instead of objects: a signal is named once, by a number that the rows then use. */
export const compactFrames = (subscription: string): ReadingFrames => {
  const id = JSON.stringify(subscription);
  const handles = new Map<string, number>();
  const name = (readings: readonly Shown[]): string[] => {
    const fresh: Record<number, string> = {};
    for (const { signalId } of readings) {
      if (handles.has(signalId)) continue;
      fresh[handles.size] = signalId;
      handles.set(signalId, handles.size);
    }
    return Object.keys(fresh).length === 0
      ? []
      : [`{"type":"signals","id":${id},"handles":${JSON.stringify(fresh)}}`];
  };
  return (readings) => {
    const names = name(readings);
    const base = readings[0]?.atMs ?? 0;
    const rows = readings.map(
      ({ signalId, value, atMs, strength, quality }) =>
        `[${handles.get(signalId)},${atMs - base},${strength},${Math.round(quality * 1e4) / 1e4},${COMPACT_STATUS.indexOf(value.status)}]`,
    );
    return [...names, `{"type":"readings","id":${id},"base":${base},"readings":[${rows.join(",")}]}`];
  };
};
