import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, memberOf, textOf } from "#lib/values.ts";

/**
 * The features on trial that a body makes use of, by the names that the
 * `anthropic-beta` header knows them by. Without its name the vendor refuses
 * the body; names that it does not know, it refuses as well. `asked`: those
 * that the caller named, which may be an older name of the same feature.
 */
export function betasFor(body: JsonObject, asked: readonly string[] = []): readonly string[] {
  const betas = new Set<string>();
  for (const [member, beta, isUsed] of MEMBER_BETAS) {
    const value = body[member];
    if (value !== undefined && value !== null && (isUsed?.(value) ?? true)) betas.add(beta);
  }
  addToolBetas(body, betas);
  addEditBetas(body["context_management"], betas);
  for (const message of listOf(body["messages"])) addMessageBetas(message, betas);
  return [...betas].filter((beta) => !isAskedAlready(beta, asked));
}

type MemberBeta = readonly [string, string, ((value: Json) => boolean)?];

/** Members of the body, by the feature that each is a part of. */
const MEMBER_BETAS: readonly MemberBeta[] = [
  ["output_format", "structured-outputs-2025-11-13", isObject],
  [
    "output_config",
    "task-budgets-2026-03-13",
    (config) => memberOf(config, "task_budget") !== undefined,
  ],
  [
    "thinking",
    "thinking-binding-controls-2026-08-01",
    (thinking) => memberOf(thinking, "block_binding") !== undefined,
  ],
  [
    "thinking",
    "thinking-display-updates-2026-08-18",
    (thinking) => memberOf(thinking, "display") === "updates",
  ],
  ["container", "skills-2025-10-02", (container) => memberOf(container, "skills") !== undefined],
  ["fallbacks", "server-side-fallback-2026-07-01"],
  ["fallback_credit_token", "fallback-credit-2026-07-01"],
  ["compaction", "compact-2026-09-04"],
  ["thread", "message-threads-2026-08-12"],
  // A member of everybody's by now, but some models still need its name.
  ["speed", "fast-mode-2026-02-01", (speed) => speed === "fast"],
  ["billing_policy", "user-profiles-billing-2026-10-01"],
];

/** Features that a caller may have named by the date of an earlier form. */
const DATED = /^(mcp-client|server-side-fallback|fallback-credit)-\d{4}-\d\d-\d\d$/;

function isAskedAlready(beta: string, asked: readonly string[]): boolean {
  const feature = DATED.exec(beta)?.[1];
  if (feature === undefined) return false;
  return asked.some((each) => DATED.exec(each)?.[1] === feature);
}

function addToolBetas(body: JsonObject, betas: Set<string>): void {
  let toolset: "none" | "plain" | "pinned" = "none";
  for (const tool of listOf(body["tools"])) {
    const type = textOf(memberOf(tool, "type")) ?? "";
    for (const beta of TOOL_BETAS.get(type) ?? []) betas.add(beta);
    if (type !== "mcp_toolset") continue;
    const isPinned: boolean = toolset === "pinned" || memberOf(tool, "tools") !== undefined;
    toolset = isPinned ? "pinned" : "plain";
  }
  if (toolset !== "none") betas.add(MCP_BETAS[toolset]);
  else if (listOf(body["mcp_servers"]).length > 0) betas.add(MCP_BETAS.none);
}

const MCP_BETAS = {
  none: "mcp-client-2025-04-04",
  plain: "mcp-client-2025-11-20",
  pinned: "mcp-client-2026-09-15",
} as const;

const TOOL_BETAS: ReadonlyMap<string, readonly string[]> = new Map([
  ["computer_20241022", ["computer-use-2024-10-22"]],
  ["bash_20241022", ["computer-use-2024-10-22"]],
  ["text_editor_20241022", ["computer-use-2024-10-22"]],
  ["computer_20250124", ["computer-use-2025-01-24"]],
  ["computer_20251124", ["computer-use-2025-11-24"]],
  ["code_execution_20250522", ["code-execution-2025-05-22"]],
  ["memory_20250818", ["context-management-2025-06-27"]],
  ["web_fetch_20250910", ["web-fetch-2025-09-10"]],
  ["advisor_20260301", ["advisor-tool-2026-03-01"]],
]);

const COMPACTION_EDIT = "compact_20260112";

function addEditBetas(management: Json | undefined, betas: Set<string>): void {
  if (!isObject(management)) return;
  const types = listOf(management["edits"]).map((edit) => memberOf(edit, "type"));
  if (types.includes(COMPACTION_EDIT)) betas.add("compact-2026-01-12");
  const isAllCompaction = types.length > 0 && types.every((type) => type === COMPACTION_EDIT);
  if (!isAllCompaction) betas.add("context-management-2025-06-27");
}

function addMessageBetas(message: Json, betas: Set<string>): void {
  const content = memberOf(message, "content");
  if (holdsFile(content)) betas.add("files-api-2025-04-14");
  const role = memberOf(message, "role");
  if (role === "assistant") {
    const isListed = listOf(content).some((each) => memberOf(each, "type") === "mcp_tool_listing");
    if (isListed) {
      betas.delete(MCP_BETAS.plain);
      betas.add(MCP_BETAS.pinned);
    }
  }
  if (role !== "system") return;
  if (memberOf(message, "clear_at") !== undefined)
    betas.add("mid-conversation-system-clear-at-2026-08-21");
  if (memberOf(message, "output_config") !== undefined)
    betas.add("mid-conversation-output-config-2026-07-01");
  for (const block of listOf(content)) {
    const type = memberOf(block, "type");
    if (type !== "tool_addition" && type !== "tool_removal") continue;
    betas.add("mid-conversation-tool-changes-2026-07-01");
    if (memberOf(memberOf(block, "tool"), "type") === "tool_definition")
      betas.add("inline-tools-2026-09-15");
  }
}

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
