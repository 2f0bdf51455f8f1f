import { createSecureContext } from "node:tls";
import type { ConfigMistake } from "./fields.ts";
import { contents, type ReadFile } from "./files.ts";

/** PEM texts. */
export interface Tls {
  readonly cert: string;
  readonly key: string;
}

type TlsOutcome = { readonly tls?: Tls } | { readonly mistakes: readonly ConfigMistake[] };
interface TlsFiles {
  readonly cert: readonly [variable: string, path: string | undefined];
  readonly key: readonly [variable: string, path: string | undefined];
}

/** A certificate and its key, read and tried; nothing where neither file is given. */
export const readTls = ({ cert, key }: TlsFiles, readFile: ReadFile): TlsOutcome => {
  const [certVariable, certPath] = cert;
  const [keyVariable, keyPath] = key;
  if (certPath === undefined && keyPath === undefined) return {};
  if (certPath === undefined || keyPath === undefined) {
    const variable = certPath === undefined ? certVariable : keyVariable;
    return {
      mistakes: [{ variable, message: `is missing: TLS needs both ${certVariable} and ${keyVariable}` }],
    };
  }
  const reads = [
    contents(certVariable, certPath, readFile),
    contents(keyVariable, keyPath, readFile),
  ] as const;
  const [certRead, keyRead] = reads;
  if (!("text" in certRead) || !("text" in keyRead))
    return { mistakes: reads.filter((read) => "variable" in read) };
  const tls = { cert: certRead.text, key: keyRead.text };
  try {
    createSecureContext(tls);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `and ${keyVariable} are no certificate and its key in PEM: ${reason}`;
    return { mistakes: [{ variable: certVariable, message }] };
  }
  return { tls };
};

/** Certificates of authorities that a server's certificate may be signed by; tried, too. */
export const readCa = (
  variable: string,
  path: string | undefined,
  readFile: ReadFile,
): { readonly ca?: string } | { readonly mistakes: readonly ConfigMistake[] } => {
  if (path === undefined) return {};
  const read = contents(variable, path, readFile);
  if (!("text" in read)) return { mistakes: [read] };
  if (/-----BEGIN CERTIFICATE-----/.test(read.text)) return { ca: read.text };
  return { mistakes: [{ variable, message: "holds no certificate in PEM" }] };
};
