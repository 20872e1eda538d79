import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, memberOf, objectOf, textOf } from "#lib/values.ts";

/**
 * Members of a caller's body that are read in more forms than the style's
 * first vendor takes, in the form that it takes; only those that differ.
 */
export function normalize(body: JsonObject): Readonly<Record<string, Json>> {
  const edits: Record<string, Json> = {};
  const put = (name: string, value: Json | undefined): void => {
    if (value !== undefined) edits[name] = value;
  };
  put("input", normalizeInput(body["input"]));
  put("tools", eachChanged(body["tools"], normalizeTool));
  put("tool_choice", normalizeToolChoice(body["tool_choice"]));
  put("text", normalizeText(body["text"]));
  return edits;
}

const BARE_PARTS = new Set<Json | undefined>([
  "input_text",
  "input_image",
  "input_file",
  "input_audio",
]);

/** Parts that stand among the items are what one user says, as far as they follow each other. */
function normalizeInput(input: Json | undefined): Json | undefined {
  const spoken = eachChanged(input, normalizeItem) ?? input;
  if (!listOf(spoken).some(isBarePart)) return spoken === input ? undefined : spoken;

  const items: Json[] = [];
  let parts: Json[] | undefined;
  for (const item of listOf(spoken)) {
    if (!isBarePart(item)) {
      parts = undefined;
      items.push(item);
    } else if (parts === undefined) {
      parts = [item];
      items.push({ role: "user", content: parts });
    } else {
      parts.push(item);
    }
  }
  return items;
}

/** A part of what a user says that stands among the items. */
export function isBarePart(item: Json): boolean {
  return isObject(item) && BARE_PARTS.has(item["type"]) && item["role"] === undefined;
}

/** What an assistant said is output, whoever sends it. */
function normalizeItem(item: Json): Json | undefined {
  if (!isObject(item) || item["role"] !== "assistant") return undefined;
  const content = eachChanged(item["content"], (part) =>
    isObject(part) && (part["type"] === "input_text" || part["type"] === "text")
      ? { ...part, type: "output_text" }
      : undefined,
  );
  return content === undefined ? undefined : { ...item, content };
}

/**
 * The nested form is another style's, whose functions are not strict where
 * nothing is said; here they would be.
 */
function normalizeTool(tool: Json): Json | undefined {
  if (!isObject(tool) || (tool["type"] ?? "function") !== "function") return undefined;
  const nested = tool["function"];
  if (!isObject(nested)) return tool["type"] === "function" ? undefined : withType(tool);
  const { function: _, ...outer } = tool;
  return { ...outer, strict: false, ...nested, type: "function" };
}

function withType(tool: JsonObject): JsonObject {
  return { ...tool, type: "function" };
}

function normalizeToolChoice(choice: Json | undefined): Json | undefined {
  if (!isObject(choice)) return undefined;
  const { type } = choice;
  if (type === "allowed_tools") {
    const nested = objectOf(choice["allowed_tools"]);
    const { mode, tools } = nested ?? choice;
    const flat = eachChanged(tools, flattened);
    if (nested === undefined && flat === undefined) return undefined;
    return { type, mode, tools: flat ?? tools };
  }
  return flattened(choice);
}

/** `{type, function: {name}}` is `{type, name}` here. */
function flattened(choice: Json): Json | undefined {
  const type = textOf(memberOf(choice, "type")) ?? "function";
  const name = memberOf(memberOf(choice, type), "name");
  return name === undefined ? undefined : { type, name };
}

/** A schema must have a name. */
function normalizeText(text: Json | undefined): Json | undefined {
  const format = memberOf(text, "format");
  if (!isObject(text) || !isObject(format)) return undefined;
  if (format["type"] !== "json_schema" || (format["name"] ?? "") !== "") return undefined;
  return { ...text, format: { ...format, name: "response" } };
}

/** The same word as in the documentation, which the vendor spells by leaving it out. */
export function normalizeReasoning(reasoning: Json | undefined): Json | undefined {
  if (!isObject(reasoning)) return undefined;
  const kept = Object.entries(reasoning).filter(
    ([name, value]) => !(SUMMARY_MEMBERS.has(name) && value === "none"),
  );
  return kept.length === Object.keys(reasoning).length ? undefined : Object.fromEntries(kept);
}

const SUMMARY_MEMBERS = new Set(["summary", "generate_summary"]);

/** A list with some of its items changed; `undefined` where none is. */
function eachChanged(
  list: Json | undefined,
  change: (item: Json) => Json | undefined,
): readonly Json[] | undefined {
  if (!isArray(list)) return undefined;
  let isChanged = false;
  const changed = list.map((item) => {
    const other = change(item);
    if (other !== undefined) isChanged = true;
    return other ?? item;
  });
  return isChanged ? changed : undefined;
}
