import type { LanguageModelV3CallOptions, LanguageModelV3FunctionTool } from "@ai-sdk/provider";
import type { ChatRequest, Tool, ToolChoice } from "#core/chat.ts";
import { defined } from "#lib/values.ts";
import { amongAllowed } from "#styles/text/allowed-tools.ts";
import { writeToolName } from "#styles/text/messages/conversation/tool-name.ts";
import { MAX_TOOL_NAME } from "#styles/text/tool-names.ts";
import type { Terms } from "./place.ts";
import { AI_SDK } from "./proof.ts";

interface Offered {
  readonly tools: LanguageModelV3FunctionTool[];
  readonly lost?: readonly string[];
}

export function toolsOf(request: ChatRequest, { traits, report }: Terms): Offered {
  const { tools: known = [], toolChoice } = request;
  if (onlyDeclares(request, traits)) {
    const called = calledTools(request);
    return { tools: called, lost: called.length > 0 ? ["tool_choice"] : [] };
  }
  // The caller's choice of some of the tools is a choice of what is offered at all.
  const offered = amongAllowed(known, toolChoice);
  for (const { extra } of offered) report.loseForeign(extra, AI_SDK, "tools.");
  if (toolChoice?.mode === "allowed") report.loseForeign(toolChoice.extra, AI_SDK, "tool_choice.");
  if (offered.length === 0 && traits.declaresCalls === true) return { tools: calledTools(request) };
  const losesFormat = offered.some(({ format }) => format !== undefined);
  return { tools: offered.map(buildTool), lost: losesFormat ? ["tools.format"] : [] };
}

/**
 * Whether the tools are offered only for the sake of earlier calls. A package
 * that drops those calls without tools cannot be told to call none: it is told
 * of tools that cannot be called.
 */
export function onlyDeclares(
  { toolChoice }: Pick<ChatRequest, "toolChoice">,
  { declaresCalls }: Terms["traits"],
): boolean {
  return declaresCalls === true && toolChoice?.mode === "none";
}

/** As much as there is to know of tools that were called and are offered no more. */
function calledTools({ messages }: ChatRequest): LanguageModelV3FunctionTool[] {
  const calls = messages
    .flatMap(({ blocks }) => blocks)
    .filter((block) => block.type === "tool_call");
  const names = new Set(calls.map(({ name, kind }) => writeToolName(name, kind, MAX_TOOL_NAME)));
  return [...names].map((name) => ({
    type: "function",
    name,
    description: "Was called before, and cannot be called any more.",
    inputSchema: { type: "object", properties: {} },
  }));
}

function buildTool(tool: Tool): LanguageModelV3FunctionTool {
  const { description, strict } = tool;
  return {
    type: "function",
    name: writeToolName(tool.name, tool.kind, MAX_TOOL_NAME),
    inputSchema: schemaOf(tool),
    ...defined({ description, strict }),
  };
}

const FREE_TEXT = {
  type: "object",
  properties: { input: { type: "string", description: "All of the tool's input." } },
  required: ["input"],
};

function schemaOf({ kind, parameters }: Tool): LanguageModelV3FunctionTool["inputSchema"] {
  const schema = kind === "custom" ? FREE_TEXT : (parameters ?? {});
  return { properties: {}, ...schema, type: "object" };
}

export function choiceOf(choice: ToolChoice | undefined): LanguageModelV3CallOptions["toolChoice"] {
  switch (choice?.mode) {
    case undefined:
      return undefined;
    case "auto":
    case "none":
    case "required":
      return { type: choice.mode };
    case "named":
      return { type: "tool", toolName: writeToolName(choice.name, choice.kind, MAX_TOOL_NAME) };
    case "allowed":
      return { type: choice.required ? "required" : "auto" };
  }
}
