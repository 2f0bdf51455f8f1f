import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { onTestFinished } from "vitest";
import { portOf } from "./port.ts";

export interface Received {
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  /** `performance.now()` when it was complete. */
  readonly at: number;
}

/** An endpoint of a customer's: keeps what it gets, and answers as told, 204 unless told otherwise. */
export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** Ids of the events that came, each as often as it came. */
  readonly ids: () => string[];
  answer: (request: Received, response: ServerResponse) => void;
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

export const startReceiver = async (): Promise<Receiver> => {
  const server = createServer(async (request, response) => {
    try {
      const received = { headers: request.headers, body: await bodyOf(request), at: performance.now() };
      receiver.received.push(received);
      receiver.answer(received, response);
    } catch {
      // The sender broke off.
      response.destroy();
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const receiver: Receiver = {
    url: `http://127.0.0.1:${portOf(server)}/hook`,
    received: [],
    ids: () => receiver.received.map(({ headers }) => String(headers["webhook-id"])),
    answer: (_, response) => {
      response.writeHead(204).end();
    },
  };
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return receiver;
};
