import { isArray, isObject, type Json } from "#lib/json.ts";
import { listOf, memberOf, objectOf, textOf } from "#lib/values.ts";
import { saysBeside } from "#styles/text/first-content.ts";

/** Whether an answer or a chunk holds any of the answer: more than a role, and more than why it ends. */
export function holdsContent(body: Json): boolean {
  return listOf(memberOf(isArray(body) ? body[0] : body, "choices")).some(choiceHolds);
}

function choiceHolds(choice: Json): boolean {
  if (!isObject(choice)) return false;
  const said = objectOf(choice["delta"]) ?? objectOf(choice["message"]);
  if (said !== undefined && saysBeside(said, ["role"])) return true;
  return (textOf(choice["text"]) ?? "") !== "";
}
