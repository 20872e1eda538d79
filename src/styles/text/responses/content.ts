import type { Json } from "#lib/json.ts";
import { listOf, memberOf, objectOf, textOf } from "#lib/values.ts";
import { isSaid } from "#styles/text/first-content.ts";

/** Whether an event holds any of the answer: more than its head, and more than a message that begins empty. */
export function holdsContent(event: Json, name: string): boolean {
  const type = textOf(memberOf(event, "type")) ?? name;
  const response = objectOf(memberOf(event, "response"));
  if (response !== undefined) return listOf(response["output"]).length > 0;
  if (type === "response.output_item.added") {
    const item = objectOf(memberOf(event, "item")) ?? {};
    return item["type"] === "message" ? isSaid(item["content"]) : true;
  }
  if (type === "response.content_part.added") {
    return isSaid(memberOf(memberOf(event, "part"), "text"));
  }
  if (type.endsWith(".delta")) return isSaid(memberOf(event, "delta"));
  return type.startsWith("response.");
}
