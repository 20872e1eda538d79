import type { Tool } from "#core/chat.ts";
import { parseJson, type JsonObject } from "#lib/json.ts";
import { memberOf, textOf } from "#lib/values.ts";

/** Where tools take no free text, it becomes the only argument of a function. */
export function asFunction(tool: Tool): Tool {
  const { format: _, ...rest } = tool;
  return { ...rest, kind: "function", parameters: FREE_TEXT };
}

const FREE_TEXT: JsonObject = {
  type: "object",
  properties: { input: { type: "string" } },
  required: ["input"],
  additionalProperties: false,
};

export function wrapInput(input: string): string {
  return JSON.stringify({ input });
}

/** What the model wrote is passed on where it is not what was asked for. */
export function unwrapInput(args: string): string {
  return textOf(memberOf(parseJson(args), "input")) ?? args;
}
