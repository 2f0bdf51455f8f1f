import type { Surroundings } from "../../ports/surroundings.ts";
import type { Condition } from "./condition.ts";
import type { Continuity } from "./continuity.ts";
import type { Ends } from "./ends.ts";
import type { SizeEstimate } from "./estimate.ts";
import type { LogMetrics } from "./metrics.ts";
import type { LogOffsets } from "./offsets.ts";
import type { KafkaAccess } from "./options.ts";
import type { Readers } from "./readers.ts";
import type { TopicNames } from "./topic-names.ts";

/** What the parts of an open log share. */
export interface LogParts extends Surroundings {
  readonly access: KafkaAccess;
  readonly names: TopicNames;
  readonly offsets: LogOffsets;
  readonly readers: Readers;
  readonly condition: Condition;
  readonly continuity: Continuity;
  readonly ends: Ends;
  readonly estimate: SizeEstimate;
  readonly metrics: LogMetrics;
}
