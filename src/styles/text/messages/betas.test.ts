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
  ["members of the wrong type", { mcp_servers: "x", messages: "x", tools: 7 }, []],
])("a body with %s names its features", (_what, body, expected) => {
  expect(betasFor(body)).toEqual(expected);
});
