import type { Json } from "../json.ts";

/** A tool with a schema of the vendor, named by its type. The vendor runs some of them. */
interface KnownTool {
  readonly name: string;
  /** `server` tools are run by the vendor, `client` ones by the caller. */
  readonly runs: "server" | "client";
  readonly fields: readonly string[];
  readonly beta?: string;
  readonly description: string;
  readonly schema: Json;
}

function object(required: readonly string[], properties: Record<string, Json>): Json {
  return { type: "object", properties, required, additionalProperties: false };
}

const text: Json = { type: "string" };

const DOMAINS = ["max_uses", "allowed_domains", "blocked_domains"];

const WEB_SEARCH: KnownTool = {
  name: "web_search",
  runs: "server",
  fields: [...DOMAINS, "user_location"],
  description: "Search the internet for current news and facts.",
  schema: object(["query"], { query: text }),
};

const WEB_FETCH: KnownTool = {
  name: "web_fetch",
  runs: "server",
  fields: [...DOMAINS, "citations", "max_content_tokens", "url_sources"],
  description: "Open and read the page at an address.",
  schema: object(["url"], { url: { type: "string", format: "uri" } }),
};

const CODE: KnownTool = {
  name: "code_execution",
  runs: "server",
  fields: [],
  description: "Run Python to calculate.",
  schema: object([], {}),
};

const BASH: KnownTool = {
  name: "bash",
  runs: "client",
  fields: ["input_examples"],
  description: "Run a command in a shell.",
  schema: object(["command"], { command: text }),
};

function editor(name: string): KnownTool {
  return {
    name,
    runs: "client",
    fields: ["max_characters", "input_examples"],
    description: "View, create and edit a file.",
    schema: object(["command", "path"], {
      command: { type: "string", enum: ["view", "create", "str_replace", "insert"] },
      path: text,
    }),
  };
}

function computer(beta: string): KnownTool {
  return {
    name: "computer",
    runs: "client",
    fields: [
      "display_width_px",
      "display_height_px",
      "display_number",
      "enable_zoom",
      "input_examples",
    ],
    beta,
    description: "Take a screenshot of the desktop, move the mouse, and type.",
    schema: object(["action"], {
      action: { type: "string", enum: ["screenshot", "left_click", "type"] },
    }),
  };
}

const MEMORY: KnownTool = {
  name: "memory",
  runs: "client",
  fields: ["input_examples"],
  description: "Remember and look up notes.",
  schema: object(["command", "path"], {
    command: { type: "string", enum: ["view", "create", "delete"] },
    path: text,
  }),
};

const ADVISOR: KnownTool = {
  name: "advisor",
  runs: "client",
  fields: ["model", "max_uses", "max_tokens", "caching"],
  beta: "advisor-tool-2026-03-01",
  description: "Ask another model for advice.",
  schema: object(["question"], { question: text }),
};

function toolSearch(name: string): KnownTool {
  return {
    name,
    runs: "server",
    fields: [],
    description: "Find tools that were deferred.",
    schema: object(["query"], { query: text }),
  };
}

/** By the value of `type`. */
export const KNOWN_TOOLS: Readonly<Record<string, KnownTool>> = {
  web_search_20250305: WEB_SEARCH,
  web_search_20260209: WEB_SEARCH,
  web_search_20260318: WEB_SEARCH,
  web_fetch_20250910: WEB_FETCH,
  web_fetch_20260209: WEB_FETCH,
  web_fetch_20260309: WEB_FETCH,
  web_fetch_20260318: WEB_FETCH,
  code_execution_20250522: { ...CODE, beta: "code-execution-2025-05-22" },
  code_execution_20250825: CODE,
  code_execution_20260120: CODE,
  code_execution_20260521: CODE,
  bash_20241022: { ...BASH, beta: "computer-use-2024-10-22" },
  bash_20250124: BASH,
  text_editor_20241022: { ...editor("str_replace_editor"), beta: "computer-use-2024-10-22" },
  text_editor_20250124: editor("str_replace_editor"),
  text_editor_20250429: editor("str_replace_based_edit_tool"),
  text_editor_20250728: editor("str_replace_based_edit_tool"),
  computer_20241022: computer("computer-use-2024-10-22"),
  computer_20250124: computer("computer-use-2025-01-24"),
  computer_20251124: computer("computer-use-2025-11-24"),
  memory_20250818: MEMORY,
  advisor_20260301: ADVISOR,
  tool_search_tool_bm25_20251119: toolSearch("tool_search_tool_bm25"),
  tool_search_tool_regex_20251119: toolSearch("tool_search_tool_regex"),
};
