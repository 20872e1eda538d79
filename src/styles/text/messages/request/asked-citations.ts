import type { Json, JsonObject } from "#lib/json.ts";
import { listOf, memberOf } from "#lib/values.ts";

/** By its path: such a name only says what other styles lose, since blocks go back as they were written. */
const CITATIONS = "content.citations";

/** That a caller wants documents or search results cited, which no other style can be asked for. */
export function askedCitations(content: Json | undefined): JsonObject {
  return listOf(content).some(asksForCitations) ? { [CITATIONS]: { enabled: true } } : {};
}

function asksForCitations(block: Json): boolean {
  if (memberOf(memberOf(block, "citations"), "enabled") === true) return true;
  return (
    memberOf(block, "type") === "tool_result" &&
    listOf(memberOf(block, "content")).some(asksForCitations)
  );
}

export function withoutCitations(members: JsonObject | undefined): JsonObject | undefined {
  if (members?.[CITATIONS] === undefined) return members;
  const { [CITATIONS]: _, ...rest } = members;
  return rest;
}
