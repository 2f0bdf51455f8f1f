const LIMIT = 200;
const WHOLE_MAX = 2_000;

interface ListPage<One> {
  readonly items: readonly One[];
  readonly next: string | null;
}

/** The pages of a list, until there are many; `isWhole`: nothing is left. `isEnough` ends it before. */
export const bounded = async <One>(
  page: (cursor: string | null) => Promise<ListPage<One>>,
  isEnough: (all: readonly One[]) => boolean = () => false,
): Promise<{ readonly items: readonly One[]; readonly isWhole: boolean }> => {
  const items: One[] = [];
  let cursor: string | null = null;
  do {
    const answer: ListPage<One> = await page(cursor);
    items.push(...answer.items);
    cursor = answer.next;
  } while (cursor !== null && items.length < WHOLE_MAX && !isEnough(items));
  return { items, isWhole: cursor === null };
};

/** All pages of a list of which there are not many. */
export const whole = async <One>(
  page: (cursor: string | null) => Promise<ListPage<One>>,
): Promise<readonly One[]> => (await bounded(page)).items;

/** What is asked for of a page that begins there. */
export const at = (cursor: string | null, limit = LIMIT) => ({
  limit,
  ...(cursor === null ? {} : { cursor }),
});
