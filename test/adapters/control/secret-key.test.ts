import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadSecretKey } from "../../../src/adapters/control/secret-key.ts";
import { systemEntropy } from "../../../src/adapters/system/clock.ts";
import { parseSecretKey, SecretKeyError } from "../../../src/domain/secret-key.ts";
import { temporaryDirectory } from "../../support/directory.ts";

const KEY = Uint8Array.from({ length: 32 }, (_, index) => index * 7 + 3);

describe("the secret key", () => {
  it("is read from hex and from base64 in either alphabet, padded or not", () => {
    const bytes = Buffer.from(KEY);
    for (const text of [
      bytes.toString("hex"),
      bytes.toString("hex").toUpperCase(),
      bytes.toString("base64"),
      bytes.toString("base64url"),
      ` ${bytes.toString("base64")}\n`,
    ]) {
      expect(parseSecretKey(text)).toEqual(KEY);
    }
  });

  it("is refused when it is anything else, without being shown", () => {
    const short = Buffer.from(KEY.subarray(1)).toString("base64");
    for (const text of ["", "changeme", short, `${Buffer.from(KEY).toString("hex")}00`, "z".repeat(64)]) {
      const parse = () => parseSecretKey(text);
      expect(parse).toThrow(SecretKeyError);
      expect(parse).toThrow(/^SECRET_KEY must be 32 bytes as 64 hex digits or as base64/);
      if (text !== "") expect(parse).not.toThrow(text);
    }
  });

  it("is made once in its file, for its owner's eyes only, and found again", async () => {
    const directory = await temporaryDirectory();
    const path = join(directory, "secret-key");
    const keys = await Promise.all([1, 2, 3, 4].map(() => loadSecretKey(path, systemEntropy)));
    for (const key of keys) expect(key).toEqual(keys[0]);
    expect(await loadSecretKey(path, systemEntropy)).toEqual(keys[0]);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(directory)).toEqual(["secret-key"]);
  });

  it("is never made anew over a file that cannot be read as one", async () => {
    const path = join(await temporaryDirectory(), "secret-key");
    await writeFile(path, "damaged");
    await expect(loadSecretKey(path, systemEntropy)).rejects.toThrow(`${path} must be 32 bytes`);
    expect(await readFile(path, "utf8")).toBe("damaged");
  });
});
