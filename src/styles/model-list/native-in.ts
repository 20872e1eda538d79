import type { FoundModel } from "#core/found-model.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined, integerOf, listOf, textOf } from "#lib/values.ts";

/** An item of `models` in the native style; ids follow a resource name. */
export function readNative(item: JsonObject): FoundModel {
  const id = (textOf(item["name"]) ?? "").replace(/^models\//, "");
  const methods = listOf(item["supportedGenerationMethods"]);
  const isChat = methods.includes("generateContent");
  const traits = defined({
    contextTokens: integerOf(item["inputTokenLimit"]),
    maxOutputTokens: isChat ? integerOf(item["outputTokenLimit"]) : undefined,
  });
  return Object.keys(traits).length === 0 ? { id } : { id, traits };
}
