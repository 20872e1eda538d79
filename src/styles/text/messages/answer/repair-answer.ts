import { randomBase62 } from "#lib/ids.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { argumentsOf, listOf, textOf } from "#lib/values.ts";
import { mapChanged } from "../conversation/cache.ts";
import { inputOf } from "../conversation/call-input.ts";

/**
 * A whole answer whose calls break the grammar of its own style: the members
 * to set. `undefined` for nearly all answers.
 */
export function repairAnswer(body: JsonObject): JsonObject | undefined {
  const content = listOf(body["content"]);
  if (!content.some(isCall)) return undefined;
  const repaired = mapChanged(content, repairCall);
  const reason = textOf(body["stop_reason"]) ?? "";
  const hasReason = reason !== "" && reason !== "end_turn";
  if (repaired === content && hasReason) return undefined;
  return {
    ...(repaired === content ? {} : { content: repaired }),
    ...(hasReason ? {} : { stop_reason: "tool_use" }),
  };
}

export function isCall(block: Json): block is JsonObject {
  return isObject(block) && block["type"] === "tool_use";
}

/** With an id, and an object as its input. */
export function repairCall(block: Json): Json {
  if (!isCall(block)) return block;
  const { id, input } = block;
  const hasId = (textOf(id) ?? "") !== "";
  const isFit = isObject(input);
  if (hasId && isFit) return block;
  return {
    ...block,
    ...(hasId ? {} : { id: `toolu_${randomBase62(24)}` }),
    ...(isFit ? {} : { input: inputOf(argumentsOf(input), "function") }),
  };
}
