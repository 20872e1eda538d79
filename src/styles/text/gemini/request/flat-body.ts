import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { objectOf } from "#lib/values.ts";

/**
 * The style's fields stand in two objects within the body. Here their members
 * have dotted names beside the others, which are also the names that a report
 * shows: `generationConfig.topK`.
 */
export const CONFIG = "generationConfig.";
const TOOL_CONFIG = "toolConfig.";

/** Of a body whose names are in camel case. */
export function flatBody({ generationConfig, toolConfig, ...rest }: JsonObject): JsonObject {
  return { ...rest, ...within(CONFIG, generationConfig), ...within(TOOL_CONFIG, toolConfig) };
}

function within(prefix: string, members: Json | undefined): Record<string, Json> {
  const flat: Record<string, Json> = {};
  for (const [name, value] of Object.entries(objectOf(members) ?? {})) {
    if (value !== undefined) flat[prefix + name] = value;
  }
  return flat;
}

/** The body that the flat members make. */
export function nestedBody(flat: Readonly<Record<string, Json | undefined>>): JsonObject {
  const toolConfig: Record<string, Json> = {};
  const generationConfig: Record<string, Json> = {};
  const rest: Record<string, Json> = {};
  for (const name in flat) {
    const value = flat[name];
    if (value === undefined) continue;
    if (name.startsWith(CONFIG)) generationConfig[name.slice(CONFIG.length)] = value;
    else if (name.startsWith(TOOL_CONFIG)) toolConfig[name.slice(TOOL_CONFIG.length)] = value;
    else rest[name] = value;
  }
  return {
    ...rest,
    ...(Object.keys(toolConfig).length > 0 ? { toolConfig } : {}),
    ...(Object.keys(generationConfig).length > 0 ? { generationConfig } : {}),
  };
}

/** Many clients write every member they know; an empty one asks for nothing. */
export function withoutEmpty(members: JsonObject): JsonObject | undefined {
  const kept = Object.entries(members).filter(([, value = null]) => !isEmpty(value));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

function isEmpty(value: Json): boolean {
  if (isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}
