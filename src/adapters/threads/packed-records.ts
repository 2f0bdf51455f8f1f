/** Something with bytes that is sent to another thread, such as a record of the log. */
type WithValue = { readonly value: Uint8Array };
type Rest<T extends WithValue> = Omit<T, "value"> & { readonly length: number };

/**
 * Records on their way to another thread: their values stand one after the other in `bytes`, which are moved and not
 * copied. One buffer for a batch costs a fraction of one for each record.
 */
export interface Packed<T extends WithValue> {
  readonly bytes: ArrayBuffer;
  readonly records: readonly Rest<T>[];
}

export const pack = <T extends WithValue>(records: readonly T[]): Packed<T> => {
  const bytes = new Uint8Array(records.reduce((sum, { value }) => sum + value.length, 0));
  let end = 0;
  const rest = records.map(({ value, ...others }) => {
    bytes.set(value, end);
    end += value.length;
    return { ...others, length: value.length };
  });
  return { bytes: bytes.buffer, records: rest };
};

/** Values are views of the one buffer. */
export const unpack = <T extends WithValue>({ bytes, records }: Packed<T>) => {
  let end = 0;
  return records.map(({ length, ...others }) => {
    end += length;
    return { ...others, value: new Uint8Array(bytes, end - length, length) };
  });
};
