/** 256 bits: nobody guesses them. */
export const TOKEN_BYTES = 32;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** A secret that lets somebody in: in a link, or in a cookie. `bytes`: TOKEN_BYTES of strong chance. */
export const tokenOf = (bytes: Uint8Array): string => {
  if (bytes.length !== TOKEN_BYTES) throw new RangeError(`a token is made of ${TOKEN_BYTES} bytes`);
  return Buffer.from(bytes).toString("base64url");
};

/** Whether a text has the form of one, so that nothing else is ever looked up. */
export const isToken = (text: string): boolean => TOKEN.test(text);
