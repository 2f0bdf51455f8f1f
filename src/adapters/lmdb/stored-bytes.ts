const PAGE_BYTES = 4_096;
const PAGE_HEADER_BYTES = 16;
/** A larger value has pages of its own. */
const INLINE_BYTES_MAX = 2_000;
const ENTRY_BYTES = 32;

/** About what LMDB uses for a record: `size` bytes of value and envelope. */
export const storedBytesOf = (size: number): number =>
  size <= INLINE_BYTES_MAX
    ? size + ENTRY_BYTES
    : Math.ceil((size + PAGE_HEADER_BYTES) / PAGE_BYTES) * PAGE_BYTES + ENTRY_BYTES;
