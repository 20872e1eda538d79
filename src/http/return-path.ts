import { invalid } from "#core/error.ts";

const MAX_CHARS = 1_024;
const HERE = "http://here.invalid";

/**
 * A path of this gateway to redirect to. Values that a browser could resolve to another site are
 * refused.
 */
export function readReturnPath(given: string | null): string {
  if (given === null) return "/";
  const url = given.length <= MAX_CHARS && IS_PATH.test(given) ? URL.parse(given, HERE) : null;
  if (url === null || url.origin !== HERE || url.pathname.startsWith("//")) {
    throw invalid("return_to", "'return_to' must be a path of this gateway, such as /console.");
  }
  return url.pathname + url.search + url.hash;
}

const IS_PATH = /^\/[^\\\p{C}\s]*$/u;
