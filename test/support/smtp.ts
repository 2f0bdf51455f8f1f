import { once } from "node:events";
import { text } from "node:stream/consumers";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { onTestFinished } from "vitest";
import { portOf } from "./port.ts";

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** As it came: headers, a blank line, and what they say it is. */
  readonly source: string;
  readonly isEncrypted: boolean;
}

const reply = (code: number, words: string) => Object.assign(new Error(words), { responseCode: code });

/** A real SMTP server on loopback, stopped when the test is over. */
export const startSmtp = async (options: SMTPServerOptions = {}) => {
  const received: ReceivedMail[] = [];
  /** What is answered to a recipient; null: it is taken. */
  let refusal: { readonly code: number; readonly words: string } | null = null;
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    ...options,
    onRcptTo: (_address, _session, done) =>
      done(refusal === null ? null : reply(refusal.code, refusal.words)),
    onData: (stream, session, done) => {
      text(stream).then((source) => {
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          source,
          isEncrypted: session.secure === true,
        });
        done();
      }, done);
    },
  });
  // A client that breaks off is its own affair.
  server.on("error", () => undefined);
  const listener = server.listen(0, "127.0.0.1");
  await once(listener, "listening");
  const stop = () => new Promise<void>((resolve) => server.close(() => resolve()));
  onTestFinished(stop);
  return {
    port: portOf(listener),
    received,
    stop,
    refuse: (code: number, words: string) => {
      refusal = { code, words };
    },
    accept: () => {
      refusal = null;
    },
  };
};
