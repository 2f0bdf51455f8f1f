// Prints an API key that BOOTSTRAP_API_KEY takes.
import { randomBytes } from "node:crypto";
import { API_KEY_BYTES, generateApiKey } from "../../src/domain/api-key.ts";

process.stdout.write(`${generateApiKey(randomBytes(API_KEY_BYTES))}\n`);
