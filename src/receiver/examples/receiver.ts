// Receives webhooks with Node alone: WEBHOOK_SECRET=whsec_… PORT=9100 node receiver.ts
import { createServer } from "node:http";
import { SignatureError, verifySignature } from "../verify-signature.ts";

const secret = process.env.WEBHOOK_SECRET ?? "";
if (!secret.startsWith("whsec_")) throw new Error("set WEBHOOK_SECRET to the secret of the webhook");
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
    // The body as it came: parsed and written anew it would be another one.
    const body = Buffer.concat(chunks);
    const { id } = verifySignature(body, request.headers, secret);
    if (id !== null && !handled.has(id)) {
      const event = JSON.parse(body.toString());
      console.log(event.event, id, event.sequence);
      handled.add(id);
    }
    // Soon: what takes longer than 15 s counts as failed. Put it into a queue of your own.
    return response.writeHead(204).end();
  } catch (error) {
    if (error instanceof SignatureError) {
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
