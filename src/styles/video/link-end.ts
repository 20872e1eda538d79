/** No vendor's links last longer. */
const LATEST = Date.UTC(2100, 0);

/** Unix ms at which a signed link expires, if the link contains it. */
export function linkEnd(link: string): number | undefined {
  if (!URL.canParse(link)) return undefined;
  const query = new Map(
    [...new URL(link).searchParams].map(([name, value]) => [name.toLowerCase(), value]),
  );
  const end = signedEnd(query) ?? Number(query.get("expires") ?? Number.NaN) * 1_000;
  return Number.isSafeInteger(end) && end > 0 && end < LATEST ? end : undefined;
}

/**
 * `X-Tos-Date=20260101T000000Z` and `X-Tos-Expires=86400`, with the prefix of any storage service.
 */
function signedEnd(query: ReadonlyMap<string, string>): number | undefined {
  for (const [name, value] of query) {
    const [, store] = /^x-([a-z]+)-expires$/.exec(name) ?? [];
    if (store === undefined) continue;
    const at = query.get(`x-${store}-date`) ?? "";
    const [, day = "", time = ""] = /^(\d{8})T(\d{6})Z$/.exec(at) ?? [];
    return Date.parse(`${split(day, 4, "-")}T${split(time, 2, ":")}Z`) + Number(value) * 1_000;
  }
  return undefined;
}

/** `20260101` as `2026-01-01`. */
function split(digits: string, first: number, by: string): string {
  return [digits.slice(0, first), digits.slice(first, first + 2), digits.slice(first + 2)].join(by);
}
