import type { Clock } from "../../ports/clock.ts";
import type { ControlStore } from "../../ports/control-store.ts";
import type { Callers } from "../callers.ts";
import type { EventFeed } from "../event-feed.ts";
import type { KeyWatch } from "../key-watch.ts";
import type { LiveScales } from "../live-scales.ts";
import type { LiveValues } from "../live-values.ts";
import type { ServeLimits } from "../settings.ts";
import type { StreamPlaces } from "./stream-places.ts";

/** What the live feed works with. */
export interface StreamParts {
  readonly control: ControlStore;
  readonly callers: Callers;
  readonly keyWatch: KeyWatch;
  readonly places: StreamPlaces;
  readonly feed: EventFeed;
  readonly live: LiveValues;
  readonly scales: LiveScales;
  readonly clock: Clock;
  readonly limits: ServeLimits;
}
