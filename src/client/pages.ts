interface Page {
  readonly nextCursor: string | null;
}
/** To be spread into the query of the call that gets a page: nothing at first, then the cursor. */
export interface PageStart {
  readonly cursor?: string;
}

/** Pages of a list, one after the other, each asked for when it is wanted. */
export async function* pages<P extends Page>(page: (start: PageStart) => Promise<P>): AsyncGenerator<P> {
  let start: PageStart = {};
  for (;;) {
    const one = await page(start);
    yield one;
    if (one.nextCursor === null) return;
    start = { cursor: one.nextCursor };
  }
}

/** What stands on the pages: `each((at) => get("/v1/signals", { params: { query: at } }), ({ signals }) => signals)`. */
export async function* each<P extends Page, Item>(
  page: (start: PageStart) => Promise<P>,
  itemsOf: (page: P) => readonly Item[],
): AsyncGenerator<Item> {
  for await (const one of pages(page)) yield* itemsOf(one);
}
