/** Below that a tile has no place for what it says. */
const TILE_MIN_PX = { width: 112, height: 68 } as const;
const TILE_MAX_PX = { width: 260, height: 120 } as const;
const GAP_PX = 6;
/** How much wider than high a tile is best. */
const ASPECT = 1.7;
const TILES_MAX = 200;
/** Whoever looks for one signal among tiles moves through no more than that; a wall of cells is seen at once. */
const TILES_HEIGHT_MAX_PX = 2_400;

export interface TileLayout {
  readonly across: number;
  readonly widthPx: number;
  readonly heightPx: number;
}

/** How `count` tiles fill `width` by `height`, CSS pixels, and reach beyond it where they must; null: they are too many. */
export const tileLayout = (count: number, width: number, height: number): TileLayout | null => {
  const acrossMax = Math.max(1, Math.floor((width + GAP_PX) / (TILE_MIN_PX.width + GAP_PX)));
  if (count > TILES_MAX || Math.ceil(count / acrossMax) * TILE_MIN_PX.height > TILES_HEIGHT_MAX_PX)
    return null;
  const layouts = Array.from({ length: Math.min(acrossMax, count) }, (_, n) => {
    const down = Math.ceil(count / (n + 1));
    const [widthPx, heightPx] = [(width + GAP_PX) / (n + 1) - GAP_PX, (height + GAP_PX) / down - GAP_PX];
    return { across: n + 1, widthPx, heightPx, size: Math.min(widthPx / ASPECT, heightPx) };
  });
  const best = layouts.reduce((a, b) => (b.size >= a.size ? b : a));
  return {
    across: best.across,
    widthPx: Math.floor(Math.min(best.widthPx, TILE_MAX_PX.width)),
    heightPx: Math.floor(Math.min(Math.max(best.heightPx, TILE_MIN_PX.height), TILE_MAX_PX.height)),
  };
};
