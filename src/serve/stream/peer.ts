/** Who reads a stream: a WebSocket, or an answer that does not end. */
export interface Peer {
  /** False while more waits than the limit; whoever waits is pumped when the peer has taken it. */
  readonly isWritable: boolean;
  send(text: string): void;
}
