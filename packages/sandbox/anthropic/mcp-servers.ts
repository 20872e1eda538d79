import type { JsonObject } from "../json.ts";
import { invalid } from "./error.ts";
import {
  field,
  inside,
  readBoolean,
  readList,
  readObject,
  readTagged,
  readText,
  readTexts,
  refuseExtras,
  required,
  type FieldValue,
} from "./fields.ts";
import type { Betas } from "./request-headers.ts";

/** Servers are offered to the model as tools of the type `mcp_toolset`. */
export function hasToolsets(betas: Betas): boolean {
  return betas.has("mcp-client-2025-11-20") || betas.has(PINNED);
}

const PINNED = "mcp-client-2026-09-15";

/** `tools` pins the tools that the server has listed, which only the newest form knows. */
export function checkToolset(object: JsonObject, path: string, betas: Betas): void {
  const fields = ["type", "mcp_server_name", "default_config", "configs", "cache_control"];
  refuseExtras(object, betas.has(PINNED) ? [...fields, "tools"] : fields, path);
  required(field(object, "mcp_server_name", path), readText);
}

/** Checks the servers of the model's tools. The sandbox does not connect to them. */
export function checkMcpServers(at: FieldValue, betas: Betas): void {
  if (at.value === undefined) return;
  const isOlder = betas.has("mcp-client-2025-04-04");
  if (!isOlder && !hasToolsets(betas)) throw invalid(at.path, "Extra inputs are not permitted");

  const names = (readList(at, 20) ?? []).map((value, index) => {
    const { object } = readTagged({ path: inside(at.path, index), value }, ["url"]);
    const path = inside(at.path, index);
    const fields = ["type", "name", "url", "authorization_token"];
    refuseExtras(object, isOlder ? [...fields, "tool_configuration"] : fields, path);
    const url = required(field(object, "url", path), readText);
    if (!url.startsWith("https://"))
      throw invalid(inside(path, "url"), "MCP server URL must use HTTPS");
    readText(field(object, "authorization_token", path));
    const tools = readObject(field(object, "tool_configuration", path)) ?? {};
    readBoolean(field(tools, "enabled", inside(path, "tool_configuration")));
    readTexts(field(tools, "allowed_tools", inside(path, "tool_configuration")));
    return required(field(object, "name", path), readText);
  });
  if (new Set(names).size < names.length)
    throw invalid(at.path, "MCP server names must be unique.");
}
