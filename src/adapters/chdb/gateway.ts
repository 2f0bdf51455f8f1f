import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { plainBody } from "./body.ts";
import { type Engine, EngineBusyError } from "./engine.ts";
import type { InsertBodies } from "./insert-bodies.ts";
import { checkLogin, type Login } from "./login.ts";
import { withParameters } from "./parameters.ts";
import { CODES, Refusal } from "./refusal.ts";
import { parseInsert, settingsOf, withSettings } from "./statement.ts";

export interface GatewayOptions {
  /** Used where a request names none. */
  readonly database: string;
  /** Null: whoever comes may ask. */
  readonly login: Login | null;
  /** For the rows of inserts while they are read. */
  readonly bodies: InsertBodies;
}

const nativeCode = (error: unknown): number =>
  error instanceof Error && "clickhouseCode" in error && typeof error.clickhouseCode === "number"
    ? error.clickhouseCode
    : CODES.unknown;

const refusalOf = (error: unknown): Refusal => {
  if (error instanceof Refusal) return error;
  const text = error instanceof Error ? error.message : String(error);
  if (error instanceof EngineBusyError) return new Refusal(503, CODES.tooManyQueries, text);
  if (error instanceof RangeError) return new Refusal(400, CODES.badArguments, text);
  return new Refusal(500, nativeCode(error), text);
};

/** The text that ClickHouse answers an error with; clients read code and message from it. */
const exceptionText = ({ code, message }: Refusal): string =>
  message.startsWith("Code: ") ? message : `Code: ${code}. DB::Exception: ${message}. (EMBEDDED_ENGINE)`;

interface Answer {
  readonly body: Uint8Array;
  readonly summary: Readonly<Record<string, number>>;
}

const databaseOf = (search: URLSearchParams, own: string): string => {
  const database = search.get("database") ?? own;
  if (!/^\w+$/.test(database)) throw new RangeError(`no name of a database: ${JSON.stringify(database)}`);
  return database;
};

const answerTo = async (
  engine: Engine,
  { database: own, login, bodies }: GatewayOptions,
  request: IncomingMessage,
): Promise<Answer> => {
  checkLogin(request, login);
  const { searchParams } = new URL(request.url ?? "/", "http://engine");
  const database = databaseOf(searchParams, own);
  const settings = settingsOf(searchParams);
  const head = searchParams.get("query");
  const insert = head === null ? null : parseInsert(head);
  if (insert !== null) {
    await bodies.during(request, (path) => engine.insert(insert, settings, path, database));
    return { body: Buffer.alloc(0), summary: {} };
  }
  const body = await buffer(plainBody(request));
  const query = head === null ? body.toString() : `${head}\n${body.toString()}`;
  const format = searchParams.get("default_format") ?? "TabSeparated";
  const whole = withSettings(withParameters(query, searchParams), settings);
  const result = await engine.query(whole, format, database);
  return { body: result.bytes(), summary: { read_rows: result.rowsRead, read_bytes: result.bytesRead } };
};

const reply = async (
  engine: Engine,
  options: GatewayOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  if (request.url?.startsWith("/ping")) {
    response.end("Ok.\n");
    return;
  }
  try {
    const { body, summary } = await answerTo(engine, options, request);
    const texts = Object.fromEntries(Object.entries(summary).map(([name, count]) => [name, String(count)]));
    response.writeHead(200, {
      "Content-Length": body.length,
      "X-ClickHouse-Summary": JSON.stringify(texts),
    });
    response.end(body);
  } catch (error) {
    const refusal = refusalOf(error);
    const text = exceptionText(refusal);
    // What is left of the body is not read: the connection cannot be used again.
    if (!request.complete) response.setHeader("Connection", "close");
    response.writeHead(refusal.status, { "X-ClickHouse-Exception-Code": refusal.code });
    response.end(`${text}\n`);
  }
};

/** ClickHouse's HTTP interface (https://clickhouse.com/docs/interfaces/http) as far as `@clickhouse/client` uses it. */
export const gateway = (engine: Engine, options: GatewayOptions): Server => {
  const server = createServer((request, response) => {
    reply(engine, options, request, response).catch(() => response.destroy());
  });
  // The one client keeps its connections; a server that closed idle ones would race its next request.
  server.keepAliveTimeout = 0;
  server.requestTimeout = 0;
  return server;
};
