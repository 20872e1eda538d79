import type { AllowedTool, ToolChoice } from "#core/chat.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, memberOf, textOf } from "#lib/values.ts";

/** The choice among some of the tools. */
type AllowedChoice = Extract<ToolChoice, { mode: "allowed" }>;

/** Out of a list whose tools are named as in either style that has one: nested in their kind, or flat. */
export function parseAllowed(
  list: Json | undefined,
  required: boolean,
  style: string,
): AllowedChoice {
  const tools: AllowedTool[] = [];
  const others: Json[] = [];
  for (const one of listOf(list)) {
    const tool = isObject(one) ? parseTool(one) : undefined;
    if (tool === undefined) others.push(one);
    else tools.push(tool);
  }
  const extra = others.length === 0 ? {} : { extra: { [style]: { allowed_tools: others } } };
  return { mode: "allowed", required, tools, ...extra };
}

function parseTool(wire: JsonObject): AllowedTool | undefined {
  const kind = wire["type"] ?? "function";
  if (kind !== "function" && kind !== "custom") return undefined;
  const name = textOf(memberOf(wire[kind], "name") ?? wire["name"]);
  return name === undefined ? undefined : { kind, name };
}

/** What a caller of this style allows besides. */
export function otherAllowed({ extra }: AllowedChoice, style: string): readonly Json[] {
  return listOf(extra?.[style]?.["allowed_tools"]);
}

/** Those of the tools that may be called. */
export function amongAllowed<T extends AllowedTool>(
  tools: readonly T[],
  choice: ToolChoice | undefined,
): readonly T[] {
  if (choice?.mode !== "allowed") return tools;
  const names = new Set(choice.tools.map(({ name }) => name));
  return tools.filter(({ name }) => names.has(name));
}
