import type {
  JSONObject,
  LanguageModelV3CallOptions,
  LanguageModelV3FunctionTool,
} from "@ai-sdk/provider";
import type { ChatRequest, Message, OutputFormat, Tool, ToolChoice } from "#core/chat.ts";
import { refuse } from "#core/lossy.ts";
import type { ModelTraits } from "#core/model.ts";
import { effortFor, planReasoning } from "#core/reasoning.ts";
import { defined, memberOf, textOf } from "#lib/values.ts";
import { writeToolName } from "#styles/text/messages/tool-name.ts";
import type { LanguageModel } from "./load.ts";
import type { Terms } from "./place.ts";
import { writeProof } from "./proof.ts";
import { buildPrompt } from "./prompt-out.ts";

export interface CallOptions extends LanguageModelV3CallOptions {
  /** Known since the fourth version. */
  readonly reasoning?: string;
}

/** The least that is left to say something with, beside what a model thinks. */
const MIN_SAID = 1;

/** A request in the terms that all packages share, and its package's own options beside them. */
export function buildOptions(
  request: ChatRequest,
  terms: Terms,
  model: ModelTraits,
  version: LanguageModel["version"],
): CallOptions {
  const { sampling, choices = 1, modalities = [] } = request;
  const { report, traits } = terms;
  if (choices > 1) throw refuse("n", "this upstream gives one answer.");
  if (modalities.includes("audio")) throw refuse("modalities", "this upstream does not speak.");
  report.loseForeign(request.extra, traits.key);
  reportLosses(request, terms);

  const tools = offered(request).map((tool) => buildTool(tool, terms));
  const reasoning = reasoningOf(request, terms, model, version);
  const own: JSONObject = { ...reasoning.options, ...ownOptions(request, terms) };
  return {
    prompt: buildPrompt(request.messages, terms),
    ...defined({
      maxOutputTokens: limitOf(request, reasoning.spends ?? 0),
      temperature: sampling.temperature,
      topP: sampling.topP,
      topK: sampling.topK,
      presencePenalty: sampling.presencePenalty,
      frequencyPenalty: sampling.frequencyPenalty,
      seed: sampling.seed,
      stopSequences: request.stop === undefined ? undefined : [...request.stop],
      responseFormat: formatOf(request.format),
      tools: tools.length === 0 ? undefined : tools,
      toolChoice: tools.length === 0 ? undefined : choiceOf(request.toolChoice),
      providerOptions: Object.keys(own).length === 0 ? undefined : { [traits.key]: own },
      reasoning: reasoning.effort,
    }),
  };
}

function reportLosses(request: ChatRequest, { report, traits }: Terms): void {
  if (request.logprobs !== undefined) report.lose("logprobs");
  if (request.webSearch !== undefined) report.lose("web_search_options");
  if (request.metadata !== undefined) report.lose("metadata");
  if (request.user !== undefined && traits.user === undefined) report.lose("user");
  if (request.parallelToolCalls === false && traits.oneCallAtATime === undefined) {
    report.lose("parallel_tool_calls");
  }
}

function ownOptions(
  { user, parallelToolCalls, tools }: ChatRequest,
  { traits }: Terms,
): JSONObject {
  return {
    ...(user === undefined ? {} : traits.user?.(user)),
    ...(parallelToolCalls === false && tools !== undefined ? traits.oneCallAtATime : {}),
  };
}

interface Asked {
  readonly options?: JSONObject;
  readonly spends?: number;
  /** A word of the shared interface, which has one since its fourth version. */
  readonly effort?: string;
}

function reasoningOf(
  request: ChatRequest,
  { traits, report }: Terms,
  { reasoningControls }: ModelTraits,
  version: LanguageModel["version"],
): Asked {
  const { reasoning } = request;
  if (reasoning === undefined) return {};
  if (traits.reasoning !== undefined) {
    const wish = traits.reasoning(reasoning, reasoningControls, request.model);
    if (wish?.spends === undefined || mayThink(request, wish.spends, traits)) return wish ?? {};
    report.lose("reasoning");
    return {};
  }
  if (version === "v4") {
    const effort = wordFor(planReasoning(reasoning, reasoningControls));
    return effort === undefined ? {} : { effort };
  }
  report.lose("reasoning");
  return {};
}

function wordFor(plan: ReturnType<typeof planReasoning>): string | undefined {
  switch (plan?.mode) {
    case undefined:
    case "auto":
      return undefined;
    case "off":
      return "none";
    case "budget":
      return effortFor(plan.tokens);
    case "effort":
      return plan.effort;
  }
}

/**
 * Where a budget is set, the model goes on only from tool calls whose
 * thinking it can see, and needs something left to answer with.
 */
function mayThink(
  { messages, maxOutputTokens }: ChatRequest,
  budget: number,
  traits: Terms["traits"],
): boolean {
  if (maxOutputTokens !== undefined && maxOutputTokens <= budget) return false;
  const last = messages.findLast(({ role }) => role === "assistant");
  if (last === undefined) return true;
  if (messages.at(-1) === last) return false;
  return (
    !hasCalls(last) ||
    last.blocks.some(
      (block) => block.type === "reasoning" && writeProof(block.signature, traits) !== undefined,
    )
  );
}

function hasCalls({ blocks }: Message): boolean {
  return blocks.some(({ type }) => type === "tool_call");
}

/** For callers it is the most of all that is generated; some packages mean what is said only. */
function limitOf({ maxOutputTokens }: ChatRequest, spends: number): number | undefined {
  return maxOutputTokens === undefined ? undefined : Math.max(MIN_SAID, maxOutputTokens - spends);
}

function formatOf(format: OutputFormat | undefined): LanguageModelV3CallOptions["responseFormat"] {
  switch (format?.type) {
    case undefined:
    case "text":
      return undefined;
    case "json":
      return { type: "json" };
    case "json_schema": {
      const { name, description, schema } = format;
      return { type: "json", name, ...defined({ description, schema }) };
    }
  }
}

/** The caller's choice of some of the tools is a choice of what is offered at all. */
function offered({ tools = [], toolChoice }: ChatRequest): readonly Tool[] {
  if (toolChoice?.mode !== "allowed") return tools;
  const names = toolChoice.tools.map((tool) =>
    textOf(memberOf(tool["function"] ?? tool["custom"], "name") ?? tool["name"]),
  );
  return tools.filter((tool) => names.includes(tool.name));
}

function buildTool(tool: Tool, { report, traits }: Terms): LanguageModelV3FunctionTool {
  report.loseForeign(tool.extra, traits.key, "tools.");
  if (tool.format !== undefined) report.lose("tools.format");
  const { description, strict } = tool;
  return {
    type: "function",
    name: writeToolName(tool.name, tool.kind, "tools"),
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

function choiceOf(choice: ToolChoice | undefined): LanguageModelV3CallOptions["toolChoice"] {
  switch (choice?.mode) {
    case undefined:
      return undefined;
    case "auto":
    case "none":
    case "required":
      return { type: choice.mode };
    case "named":
      return { type: "tool", toolName: writeToolName(choice.name, choice.kind, "tool_choice") };
    case "allowed":
      return { type: choice.required ? "required" : "auto" };
  }
}
