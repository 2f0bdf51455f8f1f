import type { SignalServiceEvent } from "../../../schemas/event.ts";
import type { GroupMember } from "./group.ts";

/** What an event is to the group of its signal's source: it makes the signal fail, ends what did, or is of no matter. */
export type GroupEffect =
  | { readonly kind: "fails"; readonly opens: string }
  | { readonly kind: "recovers"; readonly closes: string | "all" }
  | { readonly kind: "none" };

/** The condition that is the signal's status, beside alerts, which go by their ids. */
const STATUS = "signal";

export const effectOf = ({ event, data }: SignalServiceEvent): GroupEffect => {
  // Held back from everybody; the end of what was told is told.
  if (data.silencedBy !== undefined || data.heldBy !== undefined) return { kind: "none" };
  switch (event) {
    case "signal.failed":
      return { kind: "fails", opens: STATUS };
    case "alert.firing":
      return data.alert === undefined ? { kind: "none" } : { kind: "fails", opens: data.alert.id };
    case "alert.resolved":
      return data.alert === undefined ? { kind: "none" } : { kind: "recovers", closes: data.alert.id };
    case "signal.updated":
      return data.previous?.status === "failed" && data.signal?.status !== "failed"
        ? { kind: "recovers", closes: STATUS }
        : { kind: "none" };
    case "signal.deleted":
      return { kind: "recovers", closes: "all" };
    default:
      return { kind: "none" };
  }
};

/** Whether a group's notification tells what the event tells; a signal that is deleted is told by itself as well. */
export const isToldByGroup = (event: SignalServiceEvent): boolean =>
  event.event !== "signal.deleted" && effectOf(event).kind !== "none";

export const openAfter = (open: GroupMember["open"], closes: string): readonly string[] =>
  closes === "all" ? [] : open.filter((one) => one !== closes);
