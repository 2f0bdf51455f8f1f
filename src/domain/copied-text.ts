const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * The start of a text: at most `bytesMax` bytes of UTF-8, cut between characters, lone surrogates replaced. It has
 * memory of its own, where a slice would keep the whole text it was cut from alive.
 */
export const copiedText = (text: string, bytesMax: number): string => {
  const bytes = new Uint8Array(bytesMax);
  const { written } = encoder.encodeInto(text, bytes);
  return decoder.decode(bytes.subarray(0, written));
};

/** The whole of a text that is kept for longer than what it was cut from; lone surrogates are replaced. */
export const detachedText = (text: string): string => Buffer.from(text).toString();
