/** Controls but for tab and line breaks, and what turns the direction of the text around it. */
const UNSEEN = /[^\P{Cc}\t\n\r]|\p{Bidi_Control}/gu;

/**
 * At most `maxBytes` of UTF-8 from what a far end sent, whatever it was: bytes that are no UTF-8 become U+FFFD, and
 * control characters are left out. `isCut`: the last character may have lost its end, and is dropped then.
 */
export const farText = (bytes: Uint8Array, isCut: boolean, maxBytes: number): string => {
  const text = new TextDecoder().decode(bytes, { stream: isCut }).replaceAll(UNSEEN, "");
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, read);
};
