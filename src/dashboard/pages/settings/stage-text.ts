import type { StageLag } from "../../api/types.ts";
import { numberText } from "../../app/words.ts";

/** What each stage still has to do of what the log holds. */
const STAGES = new Map([
  ["evaluate readings", "Readings to be evaluated"],
  ["record readings", "Readings to be stored"],
  ["record events", "Events to be stored"],
  ["deliver events", "Events to be delivered"],
]);
export const stageText = ({ stage, topic }: StageLag): string =>
  STAGES.get(`${stage} ${topic}`) ?? `${stage}: ${topic}`;

/** A record of readings is what came together, or a change of the configuration: how many readings wait is not known. */
export const lagText = ({ lag }: StageLag): string => {
  if (lag === 0) return "none";
  return lag === 1 ? "1 record of the log" : `${numberText(lag)} records of the log`;
};
