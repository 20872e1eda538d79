import type { JsonObject } from "#lib/json.ts";

const JSON_ONLY =
  "Answer with one valid JSON object and nothing else: no words around it, no code fence.";

/** Asks in words for an answer that no member of the request can enforce. */
export function schemaInstruction(schema: JsonObject | undefined): string {
  if (schema === undefined) return JSON_ONLY;
  return `${JSON_ONLY} It must conform to this schema:\n${JSON.stringify(schema)}`;
}

/** The same for one of some words. */
export function choiceInstruction(choices: readonly string[]): string {
  return `Answer with exactly one of these, and nothing else: ${JSON.stringify(choices)}`;
}
