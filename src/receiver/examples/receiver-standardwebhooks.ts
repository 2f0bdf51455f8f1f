// Receives webhooks with the package standardwebhooks: WEBHOOK_SECRET=whsec_… PORT=9100 node receiver-standardwebhooks.ts
import { createServer } from "node:http";
import { Webhook, WebhookVerificationError } from "standardwebhooks";

const webhook = new Webhook(process.env.WEBHOOK_SECRET ?? "");
const BODY_BYTES_MAX = 1024 * 1024;
/** Ids of events that were handled. In earnest: a unique key of your database, written with what the event changes. */
const handled = new Set<string>();

const server = createServer(async (request, response) => {
  try {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of request) {
      bytes += chunk.length;
      if (bytes > BODY_BYTES_MAX) return response.writeHead(413).end();
      chunks.push(chunk);
    }
    const id = String(request.headers["webhook-id"]);
    const headers = {
      "webhook-id": id,
      "webhook-timestamp": String(request.headers["webhook-timestamp"]),
      "webhook-signature": String(request.headers["webhook-signature"]),
    };
    const body = Buffer.concat(chunks).toString();
    webhook.verify(body, headers);
    if (!handled.has(id)) {
      const event = JSON.parse(body);
      console.log(event.event, id, event.sequence);
      handled.add(id);
    }
    return response.writeHead(204).end();
  } catch (error) {
    if (error instanceof WebhookVerificationError) {
      console.error("refused:", error.message);
      return response.writeHead(401).end(error.message);
    }
    // Also of whoever breaks off amid a request: what is thrown here would end the process.
    console.error(error);
    return response.writeHead(500).end();
  }
});

server.on("error", ({ message }) => {
  console.error("cannot listen:", message);
  process.exit(1);
});
server.listen(Number(process.env.PORT ?? 9100), "127.0.0.1", () =>
  console.log("listening", server.address()),
);
