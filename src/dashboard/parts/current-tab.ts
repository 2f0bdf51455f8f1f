/** The one of some pages that a path is of: itself, or the nearest one that it is under; undefined: none. */
export const currentOf = <Path extends string>(pages: readonly Path[], path: string): Path | undefined =>
  pages
    .filter((page) => path === page || path.startsWith(`${page}/`))
    .reduce<Path | undefined>(
      (nearest, page) => (page.length > (nearest?.length ?? 0) ? page : nearest),
      undefined,
    );
