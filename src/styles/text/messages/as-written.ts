import type { ChatRequest } from "#core/chat.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { pick } from "#lib/values.ts";
import { spellingIn } from "./spelling.ts";

/** The caller's own words, where they still mean what the request says. */
export function asWritten<T>(
  request: ChatRequest,
  members: readonly string[],
  value: T,
  parse: (body: JsonObject) => T | undefined,
): Readonly<Record<string, Json>> | undefined {
  const spelling = spellingIn(request);
  if (spelling === undefined) return undefined;
  const written = pick(spelling, members);
  return isSame(parse(written), value) ? written : undefined;
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
