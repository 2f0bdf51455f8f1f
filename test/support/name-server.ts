import { createSocket } from "node:dgram";
import { once } from "node:events";
import { onTestFinished } from "vitest";

const TYPE_A = 1;
const HEADER_BYTES = 12;

const nameIn = (query: Buffer): string => {
  const labels: string[] = [];
  for (let at = HEADER_BYTES, length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += length + 1;
  }
  return labels.join(".");
};

const word = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff]);

/** An answer (RFC 1035, 4.1) to `query` with its question and these records of type A; none and rcode 3: no such name. */
const answerTo = (query: Buffer, addresses: readonly string[] | null): Buffer => {
  const question = query.subarray(HEADER_BYTES, HEADER_BYTES + nameIn(query).length + 2 + 4);
  const isA = question.readUInt16BE(question.length - 4) === TYPE_A;
  const records = (isA ? (addresses ?? []) : []).map((address) =>
    Buffer.concat([
      Buffer.from([0xc0, HEADER_BYTES, 0, TYPE_A, 0, 1, 0, 0, 0, 0, 0, 4]),
      Buffer.from(address.split(".").map(Number)),
    ]),
  );
  const flags = 0x8180 | (addresses === null ? 3 : 0);
  const counts = [1, records.length, 0, 0].map(word);
  return Buffer.concat([query.subarray(0, 2), word(flags), ...counts, question, ...records]);
};

/** A name server on loopback. `answer` gives the IPv4 addresses of a name, null for no such name, undefined for silence. */
export const nameServer = async (
  answer: (name: string) => readonly string[] | null | undefined,
): Promise<string> => {
  const socket = createSocket("udp4");
  socket.on("message", (query, from) => {
    const addresses = answer(nameIn(query));
    if (addresses !== undefined) socket.send(answerTo(query, addresses), from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  onTestFinished(() => {
    socket.close();
  });
  return `127.0.0.1:${socket.address().port}`;
};
