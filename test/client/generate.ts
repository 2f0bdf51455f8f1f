/**
 * `npm run client`: makes src/client/generated.ts from the OpenAPI document of the routes as they are. Run it whenever
 * a route or a schema has changed, and commit what it leaves.
 */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { fingerprint, typedPart } from "../support/api-document.ts";
import { openTestEngines, startTestServe } from "../support/serve.ts";

// openapi-typescript works with the API of TypeScript 5, which the compiler of this project has no more.
const PACKAGES = ["--package=typescript@5.9.3", "--package=openapi-typescript@7.13.0"];
const TARGET = new URL("../../src/client/generated.ts", import.meta.url);

const readDocument = async (): Promise<unknown> => {
  const engines = await openTestEngines();
  const serve = await startTestServe(engines);
  const response = await fetch(`${serve.url}/v1/openapi.json`);
  const document: unknown = await response.json();
  await serve.stop();
  await engines.close();
  return document;
};

const typesOf = async (part: string): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), "sos-client-"));
  const [document, types] = [join(directory, "openapi.json"), join(directory, "types.ts")];
  await writeFile(document, part);
  // What has a default may be left out of a request.
  const generate = `openapi-typescript "${document}" -o "${types}" --default-non-nullable=false`;
  await promisify(execFile)("npx", ["--yes", ...PACKAGES, "-c", generate]);
  const text = await readFile(types, "utf8");
  await rm(directory, { recursive: true });
  return text;
};

const part = typedPart(await readDocument());
await writeFile(TARGET, `// npm run client, of document ${fingerprint(part)}\n${await typesOf(part)}`);
process.stdout.write("src/client/generated.ts is made: commit it\n");
