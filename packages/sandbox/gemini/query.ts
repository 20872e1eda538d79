import { invalid } from "./error.ts";

/** What stands behind the question mark is bound to the request, and what cannot be is refused. */
export function checkQuery(query: URLSearchParams, own: readonly string[] = []): void {
  const unknown = [...query.keys()].find((name) => !COMMON.includes(name) && !own.includes(name));
  if (unknown !== undefined) {
    const name = unknown.slice(0, 100);
    throw invalid(
      `Invalid JSON payload received. Unknown name "${name}": Cannot bind query parameter. Field '${name}' could not be found in request message.`,
    );
  }
  const alt = altOf(query);
  if (!["json", "sse", "media", "proto"].includes(alt))
    throw invalid(`Invalid value "${alt.slice(0, 100)}" for the query parameter 'alt'.`);
}

/** Whether a stream shall be one of events; unasked it is an array that grows. */
export function wantsEvents(query: URLSearchParams): boolean {
  return altOf(query) === "sse";
}

/** `json;enum-encoding=int` is JSON, too. */
function altOf(query: URLSearchParams): string {
  return (query.get("alt") ?? query.get("$alt") ?? "json").split(";")[0] ?? "";
}

const COMMON: readonly string[] = [
  "key",
  "alt",
  "$alt",
  "fields",
  "$fields",
  "prettyPrint",
  "$prettyPrint",
  "quotaUser",
  "$.xgafv",
  "callback",
];
