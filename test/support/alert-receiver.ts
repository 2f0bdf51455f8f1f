import { SignalServiceEvent } from "../../schemas/event.ts";
import { verifySignature } from "../../src/receiver/verify-signature.ts";
import { startReceiver } from "./receiver.ts";

/** What one endpoint was told: each event once, whatever the number of its attempts, in the order of first arrivals. */
export interface AlertReceiver {
  readonly url: string;
  /** Attempts, repetitions included. */
  readonly requests: () => number;
  /** From now on nobody is answered, until `answers` is true again. */
  answers: boolean;
  readonly told: () => SignalServiceEvent[];
}

/** Verifies every request with the secret, and that an event which comes again is the same to the byte. */
export const startAlertReceiver = async (secretOf: () => string): Promise<AlertReceiver> => {
  const receiver = await startReceiver();
  const told = () => {
    const bodies = new Map<string, string>();
    for (const { headers, body } of receiver.received) {
      const { id } = verifySignature(body, headers, secretOf());
      if (id === null) throw new Error("a request without an id");
      if ((bodies.get(id) ?? body) !== body) throw new Error(`${id} came with two bodies`);
      bodies.set(id, body);
    }
    return [...bodies].map(([id, body]) => {
      const event = SignalServiceEvent.parse(JSON.parse(body));
      if (event.id !== id) throw new Error(`${event.id} came as ${id}`);
      return event;
    });
  };
  const own: AlertReceiver = {
    url: receiver.url,
    requests: () => receiver.received.length,
    answers: true,
    told,
  };
  receiver.answer = (_, response) => {
    if (own.answers) response.writeHead(204).end();
  };
  return own;
};
