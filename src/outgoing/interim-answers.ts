import type { Socket } from "node:net";

/** Of no meaning anywhere: what `100 Continue` is read as. */
export const CONTINUE_STAND_IN = 109;

const [CR, LF, SPACE, ZERO, ONE, NINE] = Buffer.from("\r\n 019");
const VERSION = Buffer.from("HTTP/1.");
/** Of the three digits of the status, in the line `HTTP/1.1 100 Continue`. */
const STATUS = 9;

/**
 * Reads `100 Continue` as another interim answer. A client must be able to take one that it did not ask for (RFC 9110,
 * 15.2), and undici passes over all others, but ends the connection at this one.
 */
export class InterimAnswers {
  #place: "status" | "interim" | "rest" = "status";
  /** In the line, line breaks apart. */
  #column = 0;
  #digits = 0;

  /** What is read next begins an answer. */
  expect(): void {
    this.#place = "status";
    this.#column = 0;
  }

  /** Changes what is read, in its place: pieces come as they come. */
  read(bytes: Buffer): void {
    for (let at = 0; at < bytes.length && this.#place !== "rest"; at++) this.#take(bytes, at);
  }

  #take(bytes: Buffer, at: number): void {
    const byte = bytes[at];
    if (byte === LF) this.#endLine();
    else if (byte !== CR) {
      if (this.#place === "status") this.#takeStatus(bytes, at);
      this.#column++;
    }
  }

  #endLine(): void {
    // An empty line is the end of an interim answer's headers, or stands before an answer.
    if (this.#column === 0) this.#place = "status";
    else if (this.#place === "status") this.#place = "rest";
    this.#column = 0;
  }

  #takeStatus(bytes: Buffer, at: number): void {
    const byte = bytes[at] ?? 0;
    const column = this.#column;
    if (column < VERSION.length) this.#demand(byte === VERSION[column]);
    else if (column === STATUS - 1) this.#demand(byte === SPACE);
    else if (column === STATUS) this.#demand(byte === ONE);
    else if (column === STATUS + 1) this.#digits = byte;
    else if (column === STATUS + 2) this.#takeLastDigit(bytes, at, byte);
  }

  #takeLastDigit(bytes: Buffer, at: number, byte: number): void {
    // 101 is no interim answer: what follows is another protocol.
    if (this.#digits === ZERO && byte === ONE) this.#place = "rest";
    else this.#place = "interim";
    if (this.#digits === ZERO && byte === ZERO && NINE !== undefined) bytes[at] = NINE;
  }

  #demand(isSo: boolean): void {
    if (!isSo) this.#place = "rest";
  }
}

/** Lets all that is read of the socket go through it. */
export const readInterimAnswers = (socket: Socket): InterimAnswers => {
  const answers = new InterimAnswers();
  const read = socket.read.bind(socket);
  socket.read = (size?: number) => {
    const bytes: unknown = read(size);
    if (Buffer.isBuffer(bytes)) answers.read(bytes);
    return bytes;
  };
  return answers;
};
