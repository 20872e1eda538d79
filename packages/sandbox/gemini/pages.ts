import { invalid } from "./error.ts";
import { int32 } from "./proto/scalars.ts";
import { rootPlace } from "./proto/place.ts";

/** A part of a list: `pageSize` entries from where the token of the page before says. */
export function readPage<Item>(
  list: readonly Item[],
  nameOf: (item: Item) => string,
  query: URLSearchParams,
): Page<Item> {
  const token = query.get("pageToken") ?? query.get("page_token") ?? "";
  const start = token === "" ? 0 : list.findIndex((item) => tokenFor(nameOf(item)) === token) + 1;
  if (token !== "" && start === 0) throw invalid("Page token is not valid.");

  const end = start + readSize(query.get("pageSize") ?? query.get("page_size"));
  const items = list.slice(start, end);
  const last = items.at(-1);
  return last === undefined || end >= list.length
    ? { items }
    : { items, nextPageToken: tokenFor(nameOf(last)) };
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextPageToken?: string;
}

function readSize(written: string | null): number {
  if (written === null || written === "") return USUAL_SIZE;
  const size = int32(written, rootPlace());
  if (size === undefined || size < 0)
    throw invalid(`Invalid value at 'page_size' (TYPE_INT32), "${written.slice(0, 40)}"`);
  return size === 0 ? USUAL_SIZE : Math.min(size, MAX_SIZE);
}

const USUAL_SIZE = 50;
const MAX_SIZE = 1_000;

function tokenFor(name: string): string {
  return Buffer.from(name).toString("base64url");
}
