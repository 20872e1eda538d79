/** The most items of a page that such a list gives. */
const PAGE_SIZE = 100;

/** The pages of a list whose `after` is the last id of the page before. */
export const PAGES_BY_ID = {
  pageParamName: "after",
  initialPageParam: undefined as number | undefined,
  getNextPageParam: ({
    data: { items },
  }: {
    readonly data: { readonly items: readonly { readonly id: number }[] };
  }): number | undefined => (items.length < PAGE_SIZE ? undefined : items.at(-1)?.id),
};
