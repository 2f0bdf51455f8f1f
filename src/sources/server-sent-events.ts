const COLON = 58;
const SPACE = 32;
const RETURN = 13;
const NEWLINE = 10;
/** A field takes room, however short it is. */
const FIELD_BYTES = 64;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** Makes every line end a newline: server-sent events also know `\r` and `\r\n`, whose two may come in two chunks. */
export class LineEnds {
  #afterReturn = false;

  newlines(chunk: Buffer): Buffer {
    const skip = this.#afterReturn && chunk[0] === NEWLINE ? 1 : 0;
    this.#afterReturn = chunk.at(-1) === RETURN;
    const bytes = chunk.subarray(skip);
    return bytes.includes(RETURN)
      ? Buffer.from(bytes.toString("latin1").replace(/\r\n?/g, "\n"), "latin1")
      : bytes;
  }
}

export interface EventEnds {
  /** The data of one event. Not used after the call. */
  event(data: Buffer): void;
  id(id: string): void;
  retry(ms: number): void;
}

/** Reads server-sent events line by line: https://html.spec.whatwg.org/multipage/server-sent-events.html, 9.2.6. */
export class ServerSentEvents {
  readonly #ends: EventEnds;
  #data: Buffer[] = [];
  #bytes = 0;
  #id: string | null = null;
  #first = true;

  constructor(ends: EventEnds) {
    this.#ends = ends;
  }

  /** Bytes of the event that is not complete yet. */
  get bytes(): number {
    return this.#bytes;
  }

  /** One line without its end; of the line itself nothing is kept. */
  line(whole: Buffer): void {
    const line = this.#first && whole.subarray(0, 3).equals(BOM) ? whole.subarray(3) : whole;
    this.#first = false;
    if (line.length === 0) {
      this.#dispatch();
      return;
    }
    const colon = line.indexOf(COLON);
    if (colon === 0) return;
    const name = line.toString("latin1", 0, colon < 0 ? line.length : colon);
    const from = colon < 0 ? line.length : line[colon + 1] === SPACE ? colon + 2 : colon + 1;
    this.#field(name, line.subarray(from));
  }

  #field(name: string, value: Buffer): void {
    if (name === "data") {
      this.#data.push(Buffer.from(value));
      this.#bytes += value.length + FIELD_BYTES;
    } else if (name === "id") {
      if (!value.includes(0)) this.#id = value.toString("utf8");
    } else if (name === "retry") {
      const text = value.toString("latin1");
      if (/^\d{1,9}$/.test(text)) this.#ends.retry(Number(text));
    }
  }

  /** The id counts once its event has been taken: only then may a new connection go on behind it. */
  #dispatch(): void {
    const [first, ...more] = this.#data;
    if (first !== undefined) {
      const lines = more.flatMap((line) => [Buffer.from("\n"), line]);
      this.#data = [];
      this.#bytes = 0;
      const data = more.length === 0 ? first : Buffer.concat([first, ...lines]);
      if (data.length > 0) this.#ends.event(data);
    }
    if (this.#id !== null) this.#ends.id(this.#id);
    this.#id = null;
  }
}
