import { onTestFinished } from "vitest";
import type { Sent, WebhookSender, WebhookSenderOptions } from "../../src/outgoing/sending.ts";
import { createWebhookSender } from "../../src/outgoing/webhook-sender.ts";
import { ManualClock } from "./clock.ts";

export interface TestSender {
  readonly sender: WebhookSender;
  readonly clock: ManualClock;
  post(url: string, signal?: AbortSignal): Promise<Sent>;
}

/** A sender to this machine, unless told otherwise, on a clock that stands still. */
export const testSender = (options: Partial<WebhookSenderOptions> = {}): TestSender => {
  const clock = new ManualClock();
  const sender = createWebhookSender({ clock, allowPrivate: true, ...options });
  onTestFinished(() => sender.close());
  const never = new AbortController().signal;
  return {
    sender,
    clock,
    post: (url, signal = never) =>
      sender.send({
        url,
        headers: { "X-Service-Event": "signal.failed" },
        body: '{"event":"signal.failed"}',
        signal,
      }),
  };
};
