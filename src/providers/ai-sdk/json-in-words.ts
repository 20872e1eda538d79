import type { LanguageModelV3Prompt } from "@ai-sdk/provider";
import type { OutputFormat } from "#core/chat.ts";
import type { PackageTraits } from "./traits.ts";

/** Whether the request asks for JSON without a schema, which the package does not support. */
export function asksInWords(
  format: OutputFormat | undefined,
  { asksForJson }: PackageTraits,
): boolean {
  const isFree =
    format?.type === "json" || (format?.type === "json_schema" && format.schema === undefined);
  return isFree && asksForJson === true;
}

export const JSON_IN_WORDS: LanguageModelV3Prompt = [
  {
    role: "system",
    content: "Answer with one JSON object, and with nothing before or after it.",
  },
];
