import { createHash } from "node:crypto";
import { z } from "zod";
import type { Position } from "./source.ts";

/** Where a source is in its feed: what it sends along to go on from there. */
const FeedPlace = z.object({
  cursor: z.string().optional(),
  etag: z.string().optional(),
  lastModified: z.string().optional(),
  lastEventId: z.string().optional(),
});
export type FeedPlace = z.infer<typeof FeedPlace>;
const Saved = z.object({ feed: z.string(), place: FeedPlace });

/** Longer ones are not remembered: a header or an address must hold them. */
export const PLACE_CHARACTERS_MAX = 2_000;

const nameOf = (feed: readonly unknown[]): string =>
  createHash("sha256").update(JSON.stringify(feed)).digest("base64url").slice(0, 22);

const parsed = (text: string | null): unknown => {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
};

/** Saves and loads places of one feed; `feed` is what makes it another one, such as its address. */
export const placesOf = (position: Position, ...feed: unknown[]) => {
  const name = nameOf(feed);
  return {
    /** Nothing where none was saved, or for another feed. */
    load: async (signal: AbortSignal): Promise<FeedPlace> => {
      const saved = Saved.safeParse(parsed(await position.load(signal)));
      return saved.success && saved.data.feed === name ? saved.data.place : {};
    },
    save: (place: FeedPlace): void => position.save(JSON.stringify({ feed: name, place })),
  };
};
export type Places = ReturnType<typeof placesOf>;
