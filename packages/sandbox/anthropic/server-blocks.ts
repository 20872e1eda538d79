import type { JsonObject } from "../json.ts";
import type { BlockContent } from "./blocks.ts";
import { invalid } from "./error.ts";
import {
  field,
  inside,
  readChoice,
  readId,
  readObject,
  readTagged,
  readText,
  refuseExtras,
  required,
} from "./fields.ts";
import { isSeal } from "./seal.ts";

/** The blocks that answer a call of the vendor's own tools. */
export const SERVER_RESULTS = [
  "bash_code_execution_tool_result",
  "code_execution_tool_result",
  "text_editor_code_execution_tool_result",
  "tool_search_tool_result",
  "web_fetch_tool_result",
  "web_search_tool_result",
] as const;

type ServerResultType = (typeof SERVER_RESULTS)[number];

export function readServerCall(object: JsonObject, at: string): BlockContent {
  refuseExtras(object, ["type", "id", "name", "input", "cache_control", "caller"], at);
  required(field(object, "input", at), readObject);
  const name = required(field(object, "name", at), (each) => readChoice(each, SERVER_TOOLS));
  const id = required(field(object, "id", at), readText);
  if (!/^srvtoolu_\w+$/.test(id))
    throw invalid(inside(at, "id"), "String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'");
  return { kind: "server_call", id, name };
}

const SERVER_TOOLS = [
  "web_search",
  "web_fetch",
  "code_execution",
  "bash_code_execution",
  "text_editor_code_execution",
  "tool_search_tool_regex",
  "tool_search_tool_bm25",
] as const;

export function readServerResult(
  type: ServerResultType,
  object: JsonObject,
  at: string,
): BlockContent {
  refuseExtras(object, ["type", "tool_use_id", "content", "cache_control", "caller"], at);
  const id = readId(object, "tool_use_id", at);
  const content = field(object, "content", at);
  if (Array.isArray(content.value) && type === "web_search_tool_result") {
    content.value.forEach((value, index) =>
      checkFound({ path: inside(content.path, index), value }),
    );
  } else {
    required(content, readObject);
  }
  return { kind: "server_result", id, type };
}

/** Results come back unchanged, or not at all. */
function checkFound(at: Parameters<typeof readTagged>[0]): void {
  const { object, path } = readTagged(at, ["web_search_result"]);
  refuseExtras(object, ["type", "url", "title", "encrypted_content", "page_age"], path);
  const url = required(field(object, "url", path), readText);
  const title = required(field(object, "title", path), readText);
  const token = required(field(object, "encrypted_content", path), readText);
  if (!isSeal(token, { kind: "search_result", owner: "", shown: `${url}\n${title}` }))
    throw invalid(at.path, "Invalid `encrypted_content` in `search_result` block");
}
