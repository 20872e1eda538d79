import type { TaskFailure } from "#core/video.ts";
import type { JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import { explainInside, type Vocabulary } from "#styles/upstream-error.ts";
import { failureOf, idOf } from "./task-fields.ts";

/** The reason of a failed task, from a vendor's code and message. */
export function toldFailure(error: JsonObject, vocabulary: Vocabulary = []): TaskFailure {
  const { code, message } = explainInside({ error }, vocabulary);
  const word = code === "content_filtered" ? code : (idOf(error["code"]) ?? "");
  const said = textOf(error["message"]) ?? "";
  return failureOf(word, said === "" ? undefined : message);
}
