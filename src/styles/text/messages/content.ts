import type { Json } from "#lib/json.ts";
import { listOf, memberOf, objectOf, textOf } from "#lib/values.ts";
import { saysBeside } from "#styles/text/first-content.ts";

/**
 * Whether an event holds any of the answer: more than its head, and more than
 * a text that begins empty. A block of thinking says that the model thinks.
 */
export function holdsContent(event: Json, name: string): boolean {
  switch (textOf(memberOf(event, "type")) ?? name) {
    case "message_start":
      return listOf(memberOf(memberOf(event, "message"), "content")).length > 0;
    case "content_block_start": {
      const block = objectOf(memberOf(event, "content_block")) ?? {};
      return block["type"] === "text" ? saysBeside(block, ["type"]) : true;
    }
    case "content_block_delta":
      return saysBeside(objectOf(memberOf(event, "delta")) ?? {}, ["type"]);
    default:
      return false;
  }
}
