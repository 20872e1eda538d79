import type { CallTags } from "#core/call.ts";
import { invalid } from "#core/error.ts";
import { defined } from "#lib/values.ts";

const MAX_LENGTH = 128;
/** Journal values are shown in terminals and tables, so only visible ASCII is kept. */
const UNSEEN = /[^\x21-\x7e]/g;

const TAGS_HEADER = "sluice-tags";
const MAX_TAGS = 8;
const MAX_TAG_CHARS = 64;
const TAG = /^[\w.:/@+-]+=[\w.:/@+-]+$/;

/**
 * The client's session and agent ids, which are cut if they are long, and its own tags. Throws
 * `invalid_request` for tags outside their limits: a tag that is lost would be a cost without an
 * owner.
 */
export function callTags(headers: Headers): CallTags | undefined {
  const session = tag(headers.get("x-claude-code-session-id") ?? headers.get("session_id"));
  const agent = tag(headers.get("x-claude-code-agent-id"));
  const parentAgent = tag(headers.get("x-claude-code-parent-agent-id"));
  const given = headers.get(TAGS_HEADER);
  const free = given === null ? undefined : freeTags(given);
  if (
    session === undefined &&
    agent === undefined &&
    parentAgent === undefined &&
    free === undefined
  )
    return undefined;
  return defined({ session, agent, parentAgent, free });
}

function tag(value: string | null): string | undefined {
  return value?.replaceAll(UNSEEN, "").slice(0, MAX_LENGTH) || undefined;
}

/** `project=x, agent=y` */
function freeTags(given: string): readonly string[] | undefined {
  const tags = new Set(
    given
      .split(",", MAX_TAGS * 4)
      .map((each) => each.trim())
      .filter((each) => each !== ""),
  );
  if (tags.size > MAX_TAGS) {
    throw invalid(TAGS_HEADER, `The header '${TAGS_HEADER}' may have at most ${MAX_TAGS} tags.`);
  }
  for (const each of tags) {
    if (each.length <= MAX_TAG_CHARS && TAG.test(each)) continue;
    throw invalid(
      TAGS_HEADER,
      `Each tag of the header '${TAGS_HEADER}' must be 'name=value' with at most ${MAX_TAG_CHARS} characters, of letters, digits and _ . : / @ + -.`,
    );
  }
  return tags.size === 0 ? undefined : [...tags];
}
