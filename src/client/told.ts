import { z } from "zod";
import { EventId } from "../../schemas/common.ts";
import type { SignalServiceEvent } from "../../schemas/event.ts";
import type { LiveReading } from "../../schemas/stream.ts";

// Only what the client itself works with is checked: what a newer service adds goes through to the caller.
const WithId = z.object({ id: z.string(), event: z.string() });
const WithSignal = z.object({ signalId: z.string() });

export const ReadEvent = z.custom<SignalServiceEvent>((value) => WithId.safeParse(value).success);
const ReadReading = z.custom<LiveReading>((value) => WithSignal.safeParse(value).success);

/** A message of `/v1/stream` as far as it is read. */
export const Told = z.discriminatedUnion("type", [
  z.object({ type: z.literal("subscribed"), after: EventId.nullable().optional() }),
  z.object({ type: z.literal("pong") }),
  z.object({ type: z.literal("readings"), readings: z.array(ReadReading) }),
  z.object({ type: z.literal("event"), event: ReadEvent }),
  z.object({ type: z.literal("error"), code: z.string(), detail: z.string() }),
]);
export type Told = z.infer<typeof Told>;
