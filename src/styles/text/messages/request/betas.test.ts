import { expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { betasFor } from "./betas.ts";

test.each<[string, JsonObject, readonly string[]]>([
  ["nothing on trial", { messages: [{ role: "user", content: "hi" }], tools: [{ name: "f" }] }, []],
  ["tool servers", { mcp_servers: [{ name: "x" }] }, ["mcp-client-2025-04-04"]],
  [
    "tool servers set up among the tools",
    { mcp_servers: [{ name: "x" }], tools: [{ type: "mcp_toolset", mcp_server_name: "x" }] },
    ["mcp-client-2025-11-20"],
  ],
  ["no tool servers after all", { mcp_servers: [] }, []],
  [
    "context handling, asked for twice",
    { context_management: { edits: [] }, tools: [{ type: "memory_20250818", name: "memory" }] },
    ["context-management-2025-06-27"],
  ],
  [
    "a kept file",
    {
      messages: [
        { role: "user", content: [{ type: "document", source: { type: "file", file_id: "f1" } }] },
      ],
    },
    ["files-api-2025-04-14"],
  ],
  [
    "a kept file in a tool's result",
    {
      messages: [
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              content: [{ type: "image", source: { type: "file", file_id: "f1" } }],
            },
          ],
        },
      ],
    },
    ["files-api-2025-04-14"],
  ],
  [
    "the older form of a format",
    { output_format: { type: "json_schema", schema: {} } },
    ["structured-outputs-2025-11-13"],
  ],
  [
    "the vendor's own tools",
    { tools: [{ type: "web_fetch_20250910" }, { type: "computer_20250124" }, "odd"] },
    ["web-fetch-2025-09-10", "computer-use-2025-01-24"],
  ],
  ["a compaction", { compaction: { type: "summarize" } }, ["compact-2026-09-04"]],
  [
    "compaction as the only edit",
    { context_management: { edits: [{ type: "compact_20260112" }] } },
    ["compact-2026-01-12"],
  ],
  [
    "compaction beside another edit",
    {
      context_management: {
        edits: [{ type: "compact_20260112" }, { type: "clear_tool_uses_20250919" }],
      },
    },
    ["compact-2026-01-12", "context-management-2025-06-27"],
  ],
  [
    "an option for misplaced thinking",
    { thinking: { type: "adaptive", block_binding: {} } },
    ["thinking-binding-controls-2026-08-01"],
  ],
  [
    "progress lines",
    { thinking: { type: "adaptive", display: "updates" } },
    ["thinking-display-updates-2026-08-18"],
  ],
  ["fallbacks", { fallbacks: "default" }, ["server-side-fallback-2026-07-01"]],
  ["a refusal's credit", { fallback_credit_token: "t" }, ["fallback-credit-2026-07-01"]],
  ["a thread", { thread: { type: "create" } }, ["message-threads-2026-08-12"]],
  ["skills", { container: { skills: [] } }, ["skills-2025-10-02"]],
  ["a plain container", { container: "c_1" }, []],
  [
    "a task's budget",
    { output_config: { task_budget: { total: 1 } } },
    ["task-budgets-2026-03-13"],
  ],
  ["fast answers", { speed: "fast" }, ["fast-mode-2026-02-01"]],
  ["answers at the usual speed", { speed: "standard" }, []],
  ["another payer", { billing_policy: {} }, ["user-profiles-billing-2026-10-01"]],
  [
    "tools of servers that were pinned",
    { mcp_servers: [{ name: "x" }], tools: [{ type: "mcp_toolset", tools: [] }] },
    ["mcp-client-2026-09-15"],
  ],
  [
    "a listing of a server's tools in its history",
    {
      mcp_servers: [{ name: "x" }],
      tools: [{ type: "mcp_toolset" }],
      messages: [{ role: "assistant", content: [{ type: "mcp_tool_listing" }] }],
    },
    ["mcp-client-2026-09-15"],
  ],
  ["an advisor", { tools: [{ type: "advisor_20260301" }] }, ["advisor-tool-2026-03-01"]],
  ["a computer", { tools: [{ type: "computer_20251124" }] }, ["computer-use-2025-11-24"]],
  [
    "an instruction that ends by itself",
    { messages: [{ role: "system", content: "x", clear_at: "next_user_message" }] },
    ["mid-conversation-system-clear-at-2026-08-21"],
  ],
  [
    "an effort from here on",
    { messages: [{ role: "system", output_config: { effort: "low" } }] },
    ["mid-conversation-output-config-2026-07-01"],
  ],
  [
    "tools that come and go",
    { messages: [{ role: "system", content: [{ type: "tool_removal" }] }] },
    ["mid-conversation-tool-changes-2026-07-01"],
  ],
  [
    "a tool that is defined on the way",
    {
      messages: [
        { role: "system", content: [{ type: "tool_addition", tool: { type: "tool_definition" } }] },
      ],
    },
    ["mid-conversation-tool-changes-2026-07-01", "inline-tools-2026-09-15"],
  ],
  ["members of the wrong type", { mcp_servers: "x", messages: "x", tools: 7 }, []],
])("a body with %s has the beta names of its features", (_what, body, expected) => {
  expect(betasFor(body)).toEqual(expected);
});

test("a beta that the client named with an earlier date is not repeated", () => {
  const body = { fallbacks: "default", mcp_servers: [{ name: "x" }] };
  const asked = ["server-side-fallback-2026-06-01", "mcp-client-2025-11-20"];
  expect(betasFor(body, asked)).toEqual([]);
});
