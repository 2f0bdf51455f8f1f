/** Canvas px. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

const overlaps = (a: Box, b: Box): boolean =>
  a.left < b.left + b.width &&
  b.left < a.left + a.width &&
  a.top < b.top + b.height &&
  b.top < a.top + a.height;

/**
 * Where boxes go along one row from `left` to `right`, each as near as may be to where it begins, in that order, and none
 * over another: pushed on by those before it, and back from the end.
 */
export const inARow = (
  wanted: readonly { readonly left: number; readonly width: number }[],
  { left, right, gap }: { readonly left: number; readonly right: number; readonly gap: number },
): number[] => {
  const places: number[] = [];
  let from = left;
  for (const box of wanted) {
    places.push(Math.max(from, box.left));
    from = (places.at(-1) ?? left) + box.width + gap;
  }
  let until = right;
  for (let at = wanted.length - 1; at >= 0; at--) {
    places[at] = Math.min(places[at] ?? left, until - (wanted[at]?.width ?? 0));
    until = (places[at] ?? left) - gap;
  }
  return places;
};

/** Where a box goes that none of those there may be under: moved right past them; null: there is no room up to `right`. */
export const besideOthers = (wanted: Box, others: readonly Box[], right: number, gap: number): Box | null => {
  let box = wanted;
  for (;;) {
    const hit = others.find((other) => overlaps(box, other));
    if (hit !== undefined) box = { ...box, left: hit.left + hit.width + gap };
    if (box.left + box.width > right) return null;
    if (hit === undefined) return box;
  }
};
