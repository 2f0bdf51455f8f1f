// Ends with 0 when the worker in this container answers well: node healthcheck.ts [path, by default /health/live].
import { get as getClear } from "node:http";
import { get as getSecure } from "node:https";

const TIMEOUT_MS = 4_000;
const ANY_ADDRESS = ["", "0.0.0.0", "::"];

const { HOST = "", PORT = "8080", TLS_CERT_FILE = "" } = process.env;
const host = ANY_ADDRESS.includes(HOST) ? "127.0.0.1" : HOST;
// The certificate is made for the name that others know the service by, and this never leaves the container.
const options = { host, port: PORT, path: process.argv[2] ?? "/health/live", rejectUnauthorized: false };
const fail = (reason: string): never => {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
};

const request = (TLS_CERT_FILE === "" ? getClear : getSecure)(options, (response) => {
  if (response.statusCode !== 200) fail(`${options.path} answered ${response.statusCode}`);
  process.exit(0);
});
request.setTimeout(TIMEOUT_MS, () => fail(`${options.path} did not answer within ${TIMEOUT_MS} ms`));
request.on("error", (error) => fail(error.message));
