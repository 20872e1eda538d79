import type { Extra } from "#core/chat.ts";
import type { VideoRequest } from "#core/video.ts";
import type { Json, JsonObject } from "#lib/json.ts";

/** Members without a field in the common request, and the request without them. */
interface Extras {
  readonly members: JsonObject;
  readonly rest: VideoRequest;
}

const UNTAKEN = "untaken";

/**
 * The client's vendor-specific members to forward: all of the vendor's own protocol if it
 * `takesAll`, and from any protocol those that the vendor is known to support.
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
    // An unsupported member is reported like one of another vendor.
    rest[owner === format ? UNTAKEN : owner] = left;
  }
  const extra: Extra = rest;
  return { members, rest: { ...question, extra } };
}
