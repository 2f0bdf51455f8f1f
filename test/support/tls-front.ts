import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { createServer } from "node:tls";
import { onTestFinished } from "vitest";
import { portOf } from "./port.ts";

const file = (name: string) => readFile(new URL(`./tls/${name}.pem`, import.meta.url), "utf8");

/** The certificate of `tlsFront`, signed by itself, for localhost and 127.0.0.1. */
export const frontCertificate = (): Promise<string> => file("cert");

/** A port that speaks TLS, and passes on to the server at `url` what it is told. */
export const tlsFront = async (url: string): Promise<string> => {
  const { hostname, port } = new URL(url);
  const server = createServer({ cert: await file("cert"), key: await file("key") }, (client) => {
    const behind = connect(Number(port), hostname);
    client.pipe(behind).pipe(client);
    client.on("error", () => behind.destroy());
    behind.on("error", () => client.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
  });
  return `https://127.0.0.1:${portOf(server)}`;
};
