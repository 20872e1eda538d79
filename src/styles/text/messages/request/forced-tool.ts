import type { Block, ChatRequest } from "#core/chat.ts";
import type { OutboundContext } from "#core/style.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, memberOf, objectOf } from "#lib/values.ts";
import { schemaBy } from "./format-out.ts";
import { MESSAGES } from "../raw-fields.ts";

/** The caller wants a call, of any tool or of one. */
export function forcesTool({ tool_choice: choice }: JsonObject): boolean {
  const type = memberOf(choice, "type");
  return type === "any" || type === "tool";
}

/**
 * Whether a model that refuses to be made to call a tool can be held to the
 * tool's schema instead. The vendor refuses formats together with citations.
 * https://platform.claude.com/docs/en/build-with-claude/structured-outputs, 2026-11-23.
 */
export function answersForTool(
  schema: JsonObject,
  { messages }: Pick<ChatRequest, "messages">,
  context: Omit<OutboundContext, "report">,
): boolean {
  const { rules } = context.model;
  if (rules?.forcedTools !== false || rules.formatsWithTools === false) return false;
  if (schemaBy(schema, context) !== "format" || messages.some(({ blocks }) => cites(blocks)))
    return false;
  const size = { optional: 0, unions: 0 };
  return isPlain(schema, size) && size.optional <= MAX_OPTIONAL && size.unions <= MAX_UNIONS;
}

/** Of all objects of a schema together. */
const MAX_OPTIONAL = 24;
const MAX_UNIONS = 16;

/** Keywords that the vendor refuses, or takes with exceptions. */
const DOUBTFUL = [
  "$ref",
  "$dynamicRef",
  "not",
  "if",
  "then",
  "else",
  "oneOf",
  "prefixItems",
  "patternProperties",
  "pattern",
];

interface Size {
  optional: number;
  unions: number;
}

/** Adds up what the vendor takes a limited number of. */
function isPlain(schema: Json, size: Size): boolean {
  if (!isObject(schema)) return schema === true;
  if (DOUBTFUL.some((name) => Object.hasOwn(schema, name))) return false;
  const properties = Object.entries(objectOf(schema["properties"]) ?? {});
  const required = listOf(schema["required"]);
  size.optional += properties.filter(([name]) => !required.includes(name)).length;
  if (isArray(schema["type"]) || isArray(schema["anyOf"])) size.unions++;
  const { items } = schema;
  const parts = [
    ...properties.map(([, part]) => part),
    ...(items === undefined ? [] : [items]),
    ...listOf(schema["anyOf"]),
    ...listOf(schema["allOf"]),
  ];
  return parts.every((part) => part !== undefined && isPlain(part, size));
}

function cites(blocks: readonly Block[]): boolean {
  return blocks.some((block) => {
    const own = block.type === "other" ? block.data : block.extra?.[MESSAGES]?.["block"];
    if (memberOf(memberOf(own, "citations"), "enabled") === true) return true;
    return block.type === "tool_result" && cites(block.blocks);
  });
}
