import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Webhook } from "../../api/types.ts";
import { useUnlessPaused } from "../../app/live.ts";
import { numberText } from "../../app/words.ts";
import { HELD_WITHIN_MS, heldBack } from "./held-back-query.ts";

const eventsText = (count: number): string => `${numberText(count)} ${count === 1 ? "event" : "events"}`;

/** Why less was sent than happened: what a webhook asks for, and was told to nobody. */
export const HeldBackNote = ({ webhook }: { webhook: Webhook }) => {
  const query = heldBack(webhook);
  const isSeen = useUnlessPaused();
  const { data } = useQuery({ ...query, enabled: query.enabled === true ? isSeen : false });
  const { flapping = 0, silenced = 0, isWhole = true } = data ?? {};
  if (flapping + silenced === 0) return null;
  return (
    <p role="status">
      ▲ Of what it asks for, {isWhole ? "" : "at least "}
      {eventsText(flapping + silenced)} of the last {HELD_WITHIN_MS / 60_000} minutes{" "}
      {flapping + silenced === 1 ? "was" : "were"} held back, and sent to nobody:{" "}
      {flapping > 0 && `${numberText(flapping)} as a rule flaps, changing more than six times in ten minutes`}
      {flapping > 0 && silenced > 0 && ", "}
      {silenced > 0 && `${numberText(silenced)} by a silence`}. <Link to="/alerts">See the alerts</Link>
    </p>
  );
};
