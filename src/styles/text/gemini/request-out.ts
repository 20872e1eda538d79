import type { ChatRequest, Message, OutputFormat } from "#core/chat.ts";
import type { LossReport } from "#core/lossy.ts";
import type { OutboundContext } from "#core/style.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { buildConfig } from "./config-out.ts";
import { buildContents } from "./content-out.ts";
import { isNewest } from "./proof.ts";
import { GEMINI, isOwn, spellingIn, TOOL_CONFIG } from "./spelling.ts";
import { parseToolChoice, parseTools } from "./tool-in.ts";
import { buildToolChoice, buildTools, renameSearch } from "./tool-out.ts";

/**
 * Model and stream stand in the path. What the caller wrote in this style goes
 * out as it was written, unless its meaning was changed on the way.
 */
export function buildRequest(request: ChatRequest, context: OutboundContext): JsonObject {
  const { report } = context;
  report.loseForeign(request.extra, GEMINI);
  reportUnknown(request, context);

  const tools = toolsOf(request, context);
  const { format, messages } = fitFormat(request, tools, context);
  const config = buildConfig(request, format, context);
  const toolConfig = toolConfigOf(request, tools, report);
  return {
    ...buildContents(messages, context),
    ...(tools.length > 0 ? { tools } : {}),
    ...(Object.keys(toolConfig).length > 0 ? { toolConfig } : {}),
    ...(Object.keys(config).length > 0 ? { generationConfig: config } : {}),
    ...besides(request),
  };
}

function reportUnknown(request: ChatRequest, { report }: OutboundContext): void {
  if (request.user !== undefined) report.lose("user");
  if (request.metadata !== undefined) report.lose("metadata");
  if (request.parallelToolCalls === false && (request.tools ?? []).length > 0) {
    report.lose("parallel_tool_calls");
  }
}

function toolsOf(request: ChatRequest, context: OutboundContext): readonly Json[] {
  const written = spellingIn(request)?.["tools"];
  if (written === undefined) return buildTools(request, isNewest(context.model), context.report);
  const { functions, webSearch } = parseTools(written);
  const isUnchanged =
    JSON.stringify([functions, webSearch]) === JSON.stringify([request.tools, request.webSearch]);
  if (!isUnchanged) return buildTools(request, isNewest(context.model), context.report);
  return renameSearch(isArray(written) ? written : [written]);
}

function toolConfigOf(
  request: ChatRequest,
  tools: readonly Json[],
  report: LossReport,
): JsonObject {
  const written = spellingIn(request)?.["toolConfig"];
  const choice = JSON.stringify(request.toolChoice);
  if (isObject(written) && JSON.stringify(parseToolChoice(written)) === choice) return written;

  const config: Record<string, Json> = {};
  for (const [name, value] of Object.entries(request.extra?.[GEMINI] ?? {})) {
    const member = name.startsWith(TOOL_CONFIG) ? name.slice(TOOL_CONFIG.length) : ".";
    if (value !== undefined && !member.includes(".")) config[member] = value;
  }
  const calling = buildToolChoice(request, report);
  if (calling !== undefined) config["functionCallingConfig"] = calling;
  // The vendor's own tools beside functions have to be asked for.
  const hasCalls = tools.some((tool) => isObject(tool) && "functionDeclarations" in tool);
  if (hasCalls && tools.length > 1 && !isOwn(request))
    config["includeServerSideToolInvocations"] = true;
  return config;
}

/**
 * Older models refuse tools and a promise of JSON within one request. The
 * tools stay, and the form of the answer is asked for in words.
 */
function fitFormat(
  request: ChatRequest,
  tools: readonly Json[],
  context: OutboundContext,
): { format: OutputFormat | undefined; messages: readonly Message[] } {
  const { format, messages } = request;
  const isStrict = format !== undefined && format.type !== "text";
  if (!isStrict || tools.length === 0 || isOwn(request) || isNewest(context.model)) {
    return { format, messages };
  }
  context.report.lose("response_format");
  const schema = format.type === "json_schema" ? format.schema : undefined;
  const text =
    "Give your final answer as JSON and nothing else" +
    (schema === undefined ? "." : `, conforming to this schema: ${JSON.stringify(schema)}`);
  const asked: Message = { role: "system", blocks: [{ type: "text", text }] };
  return { format: undefined, messages: [asked, ...messages] };
}

/** Members beside the ones above, which only this style knows. */
function besides(request: ChatRequest): Record<string, Json> {
  const kept: Record<string, Json> = {};
  for (const [name, value] of Object.entries(request.extra?.[GEMINI] ?? {})) {
    const isPlaced = name.includes(".") || name === "tools" || name === "generationConfig";
    if (value !== undefined && !isPlaced) kept[name] = value;
  }
  return kept;
}
