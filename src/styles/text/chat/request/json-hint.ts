import type { OutputFormat } from "#core/chat.ts";
import type { JsonObject } from "#lib/json.ts";

/** Several vendors refuse the JSON format unless the conversation mentions JSON. */
export function withJsonHint(
  messages: readonly JsonObject[],
  format: OutputFormat | undefined,
): readonly JsonObject[] {
  if (format?.type !== "json" || messages.some(mentionsJson)) return messages;
  return [{ role: "system", content: "Answer in JSON." }, ...messages];
}

/** Whether a message contains the word "JSON". */
export function mentionsJson({ content }: JsonObject): boolean {
  return /json/i.test(typeof content === "string" ? content : JSON.stringify(content ?? ""));
}
