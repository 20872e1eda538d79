import { invalid } from "#core/error.ts";
import type { Json } from "#lib/json.ts";

const MAX_CHARS = 2_048;

/** The client's webhook URL. Its target is validated when it is called. */
export function readCallbackUrl(value: Json | undefined, param: string): string | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  const isLink = typeof value === "string" && /^https?:\/\//i.test(value);
  if (isLink && value.length <= MAX_CHARS && URL.canParse(value)) return value;
  throw invalid(param, `'${param}' must be an address that begins with http:// or https://.`);
}
