import type { Extra } from "#core/chat.ts";
import type { VideoRequest } from "#core/video.ts";
import type { Json, JsonObject } from "#lib/json.ts";

/** Members that have no place in the hub, and the question without them. */
interface Extras {
  readonly members: JsonObject;
  readonly rest: VideoRequest;
}

const UNTAKEN = "untaken";

/**
 * What of the callers' own members goes out as it is: all that came in a
 * vendor's own protocol where it `takesAll`, and in any those by whose names a
 * vendor is known to mean something.
 */
export function extrasFor(
  question: VideoRequest,
  format: string,
  names: readonly string[],
  takesAll = false,
): Extras {
  const members: Record<string, Json> = {};
  const rest: Record<string, JsonObject> = {};
  for (const [owner, given] of Object.entries(question.extra ?? {})) {
    const isOwn = takesAll && owner === format;
    const left: Record<string, Json> = {};
    for (const [name, value] of Object.entries(given)) {
      if (value === undefined || value === null) continue;
      if (!isOwn && !names.includes(name)) left[name] = value;
      else if (isOwn || !Object.hasOwn(members, name)) members[name] = value;
    }
    // What is not taken is as foreign as that of others, whoever's it is.
    rest[owner === format ? UNTAKEN : owner] = left;
  }
  const extra: Extra = rest;
  return { members, rest: { ...question, extra } };
}
