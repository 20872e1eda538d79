import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { argumentsOf, listOf, memberOf, textOf } from "#lib/values.ts";

const ASKED =
  "Summarize the conversation so far, so that it can be continued from your summary alone. Keep " +
  "names, numbers, decisions, open tasks, file paths and results of tools that are still needed. " +
  "Do not answer anything and do not call tools. Write nothing but the summary.";

/**
 * A conversation to summarize. Calls and their results become text: a summary needs no tools, and
 * some upstreams refuse calls without tool definitions.
 */
export function toSummarize(items: readonly Json[]): readonly Json[] {
  return [...items.flatMap(saidIn), { type: "message", role: "user", content: ASKED }];
}

/** The user's messages, which a compaction keeps unchanged. */
export function userMessages(items: readonly Json[]): readonly JsonObject[] {
  return items.filter(isObject).filter(({ type, role }) => {
    return role === "user" && (type === undefined || type === "message");
  });
}

function saidIn(item: Json): readonly Json[] {
  if (!isObject(item)) return [];
  const { type, name } = item;
  if (typeof item["role"] === "string") return [item];
  switch (type) {
    case "function_call":
    case "custom_tool_call":
      return [
        said(
          "assistant",
          `Called ${textOf(name) ?? ""}: ${argumentsOf(item["arguments"] ?? item["input"])}`,
        ),
      ];
    case "function_call_output":
    case "custom_tool_call_output":
      return [said("user", `Result of the call: ${textsIn(item["output"])}`)];
    case "reasoning":
      return [];
    default:
      return [item];
  }
}

function said(role: string, content: string): JsonObject {
  return { type: "message", role, content };
}

function textsIn(output: Json | undefined): string {
  if (typeof output === "string") return output;
  return listOf(output)
    .map((part) => textOf(memberOf(part, "text")) ?? "")
    .join("\n");
}
