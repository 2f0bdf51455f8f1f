import { createSecureContext } from "node:tls";

/** PEM texts. */
export interface Tls {
  readonly cert: string;
  readonly key: string;
}
/** The text of a file; throws when it cannot be read. */
export type ReadFile = (path: string) => string;

type TlsMistake = { readonly variable: string; readonly message: string };
type TlsOutcome = { readonly tls?: Tls } | { readonly mistakes: readonly TlsMistake[] };

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const contents = (variable: string, path: string, readFile: ReadFile): { text: string } | TlsMistake => {
  try {
    return { text: readFile(path) };
  } catch (error) {
    return { variable, message: `cannot be read: ${reasonOf(error)}` };
  }
};

/** What a server needs to speak TLS, read and tried; nothing where neither file is given. */
export const readTls = (
  certFile: string | undefined,
  keyFile: string | undefined,
  readFile: ReadFile,
): TlsOutcome => {
  if (certFile === undefined && keyFile === undefined) return {};
  if (certFile === undefined || keyFile === undefined) {
    const variable = certFile === undefined ? "TLS_CERT_FILE" : "TLS_KEY_FILE";
    return { mistakes: [{ variable, message: "is missing: TLS needs both TLS_CERT_FILE and TLS_KEY_FILE" }] };
  }
  const cert = contents("TLS_CERT_FILE", certFile, readFile);
  const key = contents("TLS_KEY_FILE", keyFile, readFile);
  if (!("text" in cert) || !("text" in key)) {
    return { mistakes: [cert, key].filter((read) => "variable" in read) };
  }
  try {
    createSecureContext({ cert: cert.text, key: key.text });
  } catch (error) {
    const message = `and TLS_KEY_FILE are no certificate and its key in PEM: ${reasonOf(error)}`;
    return { mistakes: [{ variable: "TLS_CERT_FILE", message }] };
  }
  return { tls: { cert: cert.text, key: key.text } };
};
