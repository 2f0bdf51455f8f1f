import { SIGNAL_ID_LENGTH } from "../../domain/reading-line.ts";
import type { ReadingLinesQuery } from "../../ports/time-series.ts";
import type { Connection } from "./connection.ts";

/** Lines of a piece: some 5 MB, of which two are held at once. */
const PIECE_LINES = 100_000;
/** Ids of one query: they stand in its address, of which servers take 8 KB at the least. */
const IDS_MAX = 150;
const TAB = 9;
const NEWLINE = 10;

const decoder = new TextDecoder();

/** Where a piece begins: with the first of these signals, at a time, behind so many of its readings of that time. */
interface Place {
  readonly ids: readonly string[];
  readonly atMs: number;
  readonly skip: number;
}
interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Below a millionth ClickHouse writes an exponent, which no reading line has. */
const STRENGTH = `if(abs(strength) < 1e-6 AND strength != 0, toDecimalString(strength, 14), toString(strength))`;

const readPiece = (
  connection: Connection,
  { fromMs, toMs }: Span,
  { ids, atMs, skip }: Place,
  limit: number,
  signal: AbortSignal,
): Promise<Uint8Array> =>
  connection.read(
    `SELECT signal_id, toUnixTimestamp64Milli(at), ${STRENGTH} FROM readings
     WHERE signal_id IN {ids:Array(String)}
       AND at >= fromUnixTimestamp64Milli({fromMs:Int64}) AND at < fromUnixTimestamp64Milli({toMs:Int64})
       AND (signal_id != {first:String} OR at >= fromUnixTimestamp64Milli({atMs:Int64}))
     ORDER BY signal_id, at, strength LIMIT {limit:UInt32} OFFSET {skip:UInt32}`,
    { ids, first: ids[0] ?? "", fromMs, toMs, atMs, limit, skip },
    {},
    signal,
  );

/** Where the piece behind these lines begins. */
const placeAfter = (lines: Uint8Array, { ids, atMs, skip }: Place): Place => {
  let start = lines.lastIndexOf(NEWLINE, lines.length - 2) + 1;
  const key = decoder.decode(lines.subarray(start, lines.indexOf(TAB, start + SIGNAL_ID_LENGTH + 1) + 1));
  let same = 1;
  for (; start > 0; same++) {
    const before = lines.lastIndexOf(NEWLINE, start - 2) + 1;
    if (decoder.decode(lines.subarray(before, before + key.length)) !== key) break;
    start = before;
  }
  const [id = "", time = ""] = key.split("\t");
  const rest = ids.slice(ids.indexOf(id));
  const lastMs = Number(time);
  const goesOn = rest.length === ids.length && lastMs === atMs;
  return { ids: rest, atMs: lastMs, skip: goesOn ? skip + same : same };
};

const countLines = (lines: Uint8Array): number => {
  let count = 0;
  for (let at = lines.indexOf(NEWLINE); at >= 0; at = lines.indexOf(NEWLINE, at + 1)) count++;
  return count;
};

/** The pieces of some signals; while one is looked at the next is on its way. */
async function* piecesOf(
  connection: Connection,
  span: Span,
  ids: readonly string[],
  limit: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  const abandoned = new AbortController();
  const either = AbortSignal.any([signal, abandoned.signal]);
  let place: Place | null = { ids, atMs: span.fromMs, skip: 0 };
  let next = readPiece(connection, span, place, limit, either);
  try {
    while (place !== null) {
      const lines: Uint8Array = await next;
      if (lines.length === 0) return;
      place = countLines(lines) < limit ? null : placeAfter(lines, place);
      if (place !== null) next = readPiece(connection, span, place, limit, either);
      // Whether it fails is asked when it is its turn.
      next.catch(() => undefined);
      yield lines;
    }
  } finally {
    abandoned.abort(new DOMException("nobody reads on", "AbortError"));
    await next.catch(() => undefined);
  }
}

/** As the port says. */
export async function* selectReadingLines(
  connection: Connection,
  query: ReadingLinesQuery,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  const ids = [...new Set(query.signalIds)].sort();
  for (let from = 0; from < ids.length; from += IDS_MAX) {
    signal.throwIfAborted();
    const some = ids.slice(from, from + IDS_MAX);
    yield* piecesOf(connection, query, some, query.pieceLines ?? PIECE_LINES, signal);
  }
}
