import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { buffer } from "node:stream/consumers";
import { zstdDecompressSync } from "node:zlib";
import { onTestFinished } from "vitest";
import { portOf } from "./port.ts";

export interface Asked {
  /** Its path and its query string. */
  readonly url: URL;
  /** What stands in the URL's `query` and in the body. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
}
export interface Given {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const body = await buffer(request);
  return String(request.headers["content-encoding"] === "zstd" ? zstdDecompressSync(body) : body);
};

/** An HTTP server that says what it is told to, for what no engine at hand would say. */
export const answeringServer = async (
  answer: (asked: Asked) => Given | string,
): Promise<{ url: string; asked: readonly Asked[] }> => {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", "http://far");
    const one = {
      url,
      query: `${url.searchParams.get("query") ?? ""}${await bodyOf(request)}`,
      headers: request.headers,
    };
    asked.push(one);
    const given = answer(one);
    const { status = 200, headers = {}, body } = typeof given === "string" ? { body: given } : given;
    response.writeHead(status, headers).end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${portOf(server)}`, asked };
};

/** As ClickHouse answers what fails. */
export const exception = (code: number, message: string, type: string): Given => ({
  status: 500,
  headers: { "X-ClickHouse-Exception-Code": String(code) },
  body: `Code: ${code}. DB::Exception: ${message}. (${type}) (version 26.7.2.1)\n`,
});
