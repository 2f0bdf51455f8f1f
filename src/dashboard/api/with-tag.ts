interface Answered<Data> {
  readonly data?: Data | undefined;
  readonly response: Response;
}

/** What came, and the revision that it is of, for who is about to change it. */
export const withTag = <Data>({ data, response }: Answered<Data>) => {
  if (data === undefined) throw new Error("the answer has no content");
  return { data, tag: response.headers.get("etag") };
};

/** Asks that a change be made to that revision alone. */
export const ifMatch = (tag: string | null) => (tag === null ? {} : { "If-Match": tag });
