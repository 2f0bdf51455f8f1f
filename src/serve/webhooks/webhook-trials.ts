import { EventId } from "../../../schemas/common.ts";
import type { EventKind } from "../../../schemas/event.ts";
import type { WebhookSettings, WebhookTestAnswer } from "../../../schemas/webhook.ts";
import { ulid } from "../../domain/ids.ts";
import { explain, outcomeOf } from "../../domain/webhooks/outcome.ts";
import { requestHeaders } from "../../domain/webhooks/request-headers.ts";
import { sampleEvent } from "../../domain/webhooks/sample-event.ts";
import { generateWebhookSecret, WEBHOOK_SECRET_BYTES } from "../../domain/webhooks/secret.ts";
import type { WebhookSecrets } from "../../domain/webhooks/signature.ts";
import type { WebhookSender } from "../../outgoing/sending.ts";
import type { Clock, Entropy } from "../../ports/clock.ts";

interface TrialOptions {
  readonly sender: WebhookSender;
  readonly clock: Clock;
  readonly entropy: Entropy;
}

/** Sends made-up events, which are no deliveries: nothing is kept, nothing tried again. */
export class WebhookTrials {
  readonly #options: TrialOptions;
  readonly #stopping = new AbortController();

  constructor(options: TrialOptions) {
    this.#options = options;
  }

  /** A secret for one trial, where none is given. */
  secretsOf(secret?: string): WebhookSecrets {
    const made = secret ?? generateWebhookSecret(this.#options.entropy.bytes(WEBHOOK_SECRET_BYTES));
    return { secret: made, previous: null, previousValidUntil: null };
  }

  /** Comes back within 15 s, whatever the endpoint does. */
  async try(
    settings: Pick<WebhookSettings, "url" | "signing">,
    secrets: WebhookSecrets,
    kind: EventKind,
  ): Promise<WebhookTestAnswer> {
    const { sender, clock, entropy } = this.#options;
    const now = clock.now();
    const eventId = EventId.parse(`evt_${ulid(now, entropy.bytes(10))}`);
    const body = JSON.stringify(sampleEvent(kind, eventId, now));
    const headers = requestHeaders(settings, secrets, { eventId, kind, body }, now);
    const { url } = settings;
    const sent = await sender.send({ url, headers, body, signal: this.#stopping.signal });
    const { result, durationMs, responseBody } = sent;
    return {
      delivered: outcomeOf(result) === "done",
      responseStatus: "status" in result ? result.status : null,
      durationMs,
      responseBody,
      detail: explain(result),
      request: { headers: { "Content-Type": "application/json", ...headers }, body },
    };
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error("the service stops"));
    await this.#options.sender.close();
  }
}
