/** Whether every engine keeps this text as it is: no NUL (PostgreSQL), no lone surrogate (none has UTF-8). */
export const isStorable = (text: string): boolean => !text.includes("\0") && text.isWellFormed();

/** `%`, `_` and the escape itself, for LIKE … ESCAPE '\'. */
export const escapeLike = (text: string): string => text.replace(/[\\%_]/g, "\\$&");

/** Folds case the same way on every engine. */
export const folded = (text: string): string => text.toLowerCase();
