import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, memberOf, textOf } from "#lib/values.ts";

/**
 * The features on trial that a body makes use of, by the names that the
 * `anthropic-beta` header knows them by. Without it the vendor refuses the
 * body; names it does not know, it refuses as well.
 */
export function betasFor(body: JsonObject): readonly string[] {
  const tools = listOf(body["tools"]).map((tool) => textOf(memberOf(tool, "type")) ?? "");
  const betas: string[] = [];
  if (listOf(body["mcp_servers"]).length > 0) {
    betas.push(tools.includes("mcp_toolset") ? "mcp-client-2025-11-20" : "mcp-client-2025-04-04");
  }
  if (isObject(body["context_management"])) betas.push("context-management-2025-06-27");
  if (isObject(body["output_format"])) betas.push("structured-outputs-2025-11-13");
  if (holdsFile(body["messages"])) betas.push("files-api-2025-04-14");
  for (const tool of tools) betas.push(...(TOOL_BETAS.get(tool) ?? []));
  return [...new Set(betas)];
}

const TOOL_BETAS: ReadonlyMap<string, readonly string[]> = new Map([
  ["computer_20250124", ["computer-use-2025-01-24"]],
  ["memory_20250818", ["context-management-2025-06-27"]],
  ["web_fetch_20250910", ["web-fetch-2025-09-10"]],
]);

/** A file that the vendor keeps, in a turn or in a tool's result. */
function holdsFile(blocks: Json | undefined): boolean {
  if (!isArray(blocks)) return false;
  return blocks.some(
    (block) =>
      memberOf(memberOf(block, "source"), "type") === "file" ||
      memberOf(block, "type") === "container_upload" ||
      holdsFile(memberOf(block, "content")),
  );
}
