import type { FunctionTool } from "../engine/conversation.ts";
import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import { readCacheControl, type CacheTtl } from "./cache-control.ts";
import { invalid } from "./error.ts";
import {
  field,
  inside,
  readBoolean,
  readInteger,
  readList,
  readObject,
  readTagged,
  readText,
  readTexts,
  refuseExtras,
  required,
  type FieldValue,
} from "./fields.ts";
import { checkToolset, hasToolsets } from "./mcp-servers.ts";
import type { Betas } from "./request-headers.ts";
import { checkSchema } from "./schema-limits.ts";
import { KNOWN_TOOLS } from "./tool-types.ts";

/** A tool on offer, and who runs it. */
export interface OfferedTool {
  readonly tool: FunctionTool;
  readonly path: string;
  readonly raw: JsonObject;
  readonly cache: CacheTtl | undefined;
  /** The type of a tool that the vendor runs itself, such as `web_search_20250305`. */
  readonly serverType: string | undefined;
  readonly limits: ServerToolLimits;
}

/** The client's limits for a tool of the vendor. */
export interface ServerToolLimits {
  readonly maxUses: number;
  readonly allowedDomains: readonly string[] | undefined;
  readonly blockedDomains: readonly string[];
}

export function readTools(at: FieldValue, betas: Betas): readonly OfferedTool[] {
  const tools = (readList(at) ?? []).flatMap((value, index) => {
    const path = inside(at.path, index);
    if (!isJsonObject(value) || value["type"] !== "mcp_toolset" || !hasToolsets(betas))
      return [readTool(value, path, betas)];
    checkToolset(value, inside(path, "mcp_toolset"), betas);
    return [];
  });
  const names = new Set(tools.map(({ tool }) => tool.name));
  if (names.size < tools.length) throw invalid("tools", "Tool names must be unique.");
  return tools;
}

function readTool(value: Json, path: string, betas: Betas): OfferedTool {
  const object = required({ path, value }, readObject);
  const type = readText(field(object, "type", path));
  return type === undefined || type === "custom"
    ? readCustom(object, path)
    : readKnown(object, path, betas);
}

const COMMON = ["type", "name", "cache_control", "strict", "defer_loading", "allowed_callers"];

const UNLIMITED: ServerToolLimits = {
  maxUses: Infinity,
  allowedDomains: undefined,
  blockedDomains: [],
};

function readCustom(object: JsonObject, place: string): OfferedTool {
  const path = inside(place, "custom");
  refuseExtras(
    object,
    [...COMMON, "description", "input_schema", "input_examples", "eager_input_streaming"],
    path,
  );
  const name = required(field(object, "name", path), readText);
  if (!/^[\w-]{1,128}$/.test(name))
    throw invalid(inside(path, "name"), "String should match pattern '^[a-zA-Z0-9_-]{1,128}$'");
  const description = readText(field(object, "description", path)) ?? "";
  const schema = required(field(object, "input_schema", path), readObject);
  const type = required(field(schema, "type", inside(path, "input_schema")), readText);
  if (type !== "object")
    throw invalid(inside(path, "input_schema.type"), "Input should be 'object'");
  if (readCommon(object, path)) checkSchema(schema, path);

  return {
    tool: { kind: "function", name, description, schema },
    path: place,
    raw: object,
    cache: readCacheControl(object, path),
    serverType: undefined,
    limits: UNLIMITED,
  };
}

/** Whether the arguments shall conform to the schema by all means. */
function readCommon(object: JsonObject, path: string): boolean {
  readBoolean(field(object, "defer_loading", path));
  readBoolean(field(object, "eager_input_streaming", path));
  readTexts(field(object, "allowed_callers", path));
  return readBoolean(field(object, "strict", path)) ?? false;
}

function readKnown(object: JsonObject, place: string, betas: Betas): OfferedTool {
  const types = Object.entries(KNOWN_TOOLS)
    .filter(([, known]) => known.beta === undefined || betas.has(known.beta))
    .map(([type]) => type);
  const { tag, path } = readTagged({ path: place, value: object }, types);
  const known = KNOWN_TOOLS[tag];
  if (known === undefined) throw invalid(place, `Unknown tool type '${tag}'`);

  refuseExtras(object, [...COMMON, ...known.fields], path);
  readCommon(object, path);
  const name = required(field(object, "name", path), readText);
  if (name !== known.name) throw invalid(inside(path, "name"), `Input should be '${known.name}'`);
  const { description, schema } = known;
  return {
    tool: { kind: "function", name, description, schema },
    path: place,
    raw: object,
    cache: readCacheControl(object, path),
    serverType: known.runs === "server" ? tag : undefined,
    limits: readLimits(object, path),
  };
}

function readLimits(object: JsonObject, path: string): ServerToolLimits {
  const allowedDomains = readTexts(field(object, "allowed_domains", path));
  const blockedDomains = readTexts(field(object, "blocked_domains", path));
  if (allowedDomains !== undefined && blockedDomains !== undefined)
    throw invalid(path, "Only one of `allowed_domains` and `blocked_domains` may be given.");
  checkLocation(field(object, "user_location", path));
  readInteger(field(object, "max_content_tokens", path), 1);
  for (const name of ["display_width_px", "display_height_px"]) {
    if (name in object) required(field(object, name, path), (at) => readInteger(at, 1));
  }
  return {
    maxUses: readInteger(field(object, "max_uses", path), 1) ?? Infinity,
    allowedDomains,
    blockedDomains: blockedDomains ?? [],
  };
}

function checkLocation(at: FieldValue): void {
  if (at.value === undefined) return;
  const { object, path } = readTagged(at, ["approximate"]);
  refuseExtras(object, ["type", "city", "region", "country", "timezone"], path);
  for (const name of ["city", "region", "country", "timezone"])
    readText(field(object, name, path), 255);
}
