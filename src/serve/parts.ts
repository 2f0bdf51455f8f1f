import type { FastifyRequest } from "fastify";
import type { AccessParts } from "../access/parts.ts";
import type { PromptIntake } from "../intake/prompt-intake.ts";
import type { Reporter } from "../intake/report.ts";
import type { Changing } from "../ports/control-store.ts";
import type { EventLog } from "../ports/event-log.ts";
import type { Mailbox } from "../ports/mail.ts";
import type { Surroundings } from "../ports/surroundings.ts";
import type { TimeSeries } from "../ports/time-series.ts";
import type { Health } from "../ports/worker.ts";
import type { Analyze } from "./analysis/analyzer.ts";
import type { Backtests } from "./backtest/backtests.ts";
import type { Idempotent } from "./idempotency.ts";
import type { OAuth } from "./oauth/oauth.ts";
import type { PageParts } from "./people/page-parts.ts";
import type { Probes } from "./probes.ts";
import type { Pushes } from "./push/pushes.ts";
import type { CountRequest } from "./rate-limit.ts";
import type { Rates } from "./rates.ts";
import type { RejectionRetry } from "./rejection-retry.ts";
import type { ServeSettings } from "./settings.ts";
import type { Settle } from "./settle.ts";
import type { EventStreams } from "./stream/event-streams.ts";
import type { StreamHub } from "./stream/stream-hub.ts";
import type { StreamParts } from "./stream/stream-parts.ts";
import type { StreamTickets } from "./stream/stream-tickets.ts";
import type { SourceTrials } from "./trial/source-trials.ts";
import type { WebhookTrials } from "./webhooks/webhook-trials.ts";

/** What routes work with; each takes the few it needs. */
export interface Parts extends Surroundings, StreamParts, Idempotent {
  readonly log: EventLog;
  readonly timeSeries: TimeSeries;
  readonly settings: ServeSettings;
  readonly mailbox: Mailbox | null;
  readonly access: AccessParts;
  readonly people: PageParts;
  /** Control data, for what a request changes. */
  readonly by: (request: FastifyRequest) => Changing;
  readonly oauth: OAuth;
  readonly settle: Settle;
  readonly probes: Probes;
  readonly intake: PromptIntake;
  readonly reporter: Reporter;
  readonly analyze: Analyze;
  readonly backtests: Backtests;
  readonly pushes: Pushes;
  readonly rejections: RejectionRetry;
  readonly trials: SourceTrials;
  readonly webhookTrials: WebhookTrials;
  readonly rates: Rates;
  readonly hub: StreamHub;
  readonly eventStreams: EventStreams;
  readonly tickets: StreamTickets;
  readonly countRequest: CountRequest;
  readonly health: () => Health[];
}
