import type { FastifyReply } from "fastify";

/** Whoever asked has hung up: what is done for the answer alone may end. */
export class ClientGoneError extends Error {
  override readonly name = "ClientGoneError";
}

/** Aborted when the connection is lost before the answer is whole. */
export const whenGone = ({ raw }: Pick<FastifyReply, "raw">): AbortSignal => {
  const gone = new AbortController();
  raw.once("close", () => {
    if (!raw.writableFinished) gone.abort(new ClientGoneError("nobody waits for the answer any more"));
  });
  return gone.signal;
};
