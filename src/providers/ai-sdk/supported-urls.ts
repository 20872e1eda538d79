import { itemsOf, membersOf } from "./unknown.ts";

/** By media type, which may be `image/*` or `*`. */
export type UrlPatterns = ReadonlyMap<string, readonly RegExp[]>;

const MAX_URL_LENGTH = 8_192;

/** A package may say so at once or later. */
export async function readUrlPatterns(supported: unknown): Promise<UrlPatterns> {
  const said = membersOf(await supported);
  return new Map(
    Object.entries(said).map(([type, patterns]) => [
      type.toLowerCase(),
      itemsOf(patterns).filter((each) => each instanceof RegExp),
    ]),
  );
}

/**
 * Whether the vendor fetches it. What it does not, some packages would fetch
 * themselves, from wherever the caller says.
 */
export function isFetchedByVendor(url: string, mediaType: string, patterns: UrlPatterns): boolean {
  if (url.length > MAX_URL_LENGTH || !URL.canParse(url)) return false;
  const [family = ""] = mediaType.split("/");
  return [mediaType.toLowerCase(), `${family}/*`, "*/*", "*"].some((type) =>
    patterns
      .get(type)
      ?.some((pattern) =>
        new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, "")).test(url.toLowerCase()),
      ),
  );
}
