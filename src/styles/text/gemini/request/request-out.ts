import type { ChatRequest, Message } from "#core/chat.ts";
import type { OutboundContext } from "#core/style.ts";
import { isArray, type Json, type JsonObject } from "#lib/json.ts";
import { membersOf, preserveOriginal } from "#styles/text/request-fields.ts";
import { buildContents } from "../conversation/content-out.ts";
import { nestedBody } from "./flat-body.ts";
import { writeFields } from "./hub-fields.ts";
import { isNewest } from "../conversation/proof.ts";
import { GEMINI, isOwn, rawFieldsOf } from "../raw-fields.ts";
import { parseTools } from "../conversation/tool-in.ts";
import { buildTools, renameSearch } from "../conversation/tool-out.ts";

/**
 * Model and stream stand in the path. What the caller wrote in this style goes
 * out as it was written, unless its meaning was changed on the way.
 */
export function buildRequest(request: ChatRequest, context: OutboundContext): JsonObject {
  const { report, model } = context;
  report.loseForeign(request.extra, GEMINI);
  const tools = toolsOf(request, context);
  const fitted = fitFormat(request, tools, context);
  const body: Record<string, Json | undefined> = {
    ...buildContents(fitted.messages, context),
    ...ownExtra(request.extra?.[GEMINI]),
  };
  writeFields(fitted, { request: fitted, report, model, raw: rawFieldsOf(request), tools }, body);
  return nestedBody(body);
}

function toolsOf(request: ChatRequest, { model, report }: OutboundContext): readonly Json[] {
  const { tools, webSearch } = request;
  const raw = rawFieldsOf(request);
  const original =
    raw?.["tools"] === undefined
      ? undefined
      : preserveOriginal(raw, ["tools"], [tools, webSearch], toolsIn)?.["tools"];
  if (original === undefined)
    return membersOf(buildTools(request, isNewest(model), report), report);
  return renameSearch(isArray(original) ? original : [original]);
}

function toolsIn({ tools }: JsonObject): readonly unknown[] {
  const { functions, webSearch } = parseTools(tools);
  return [functions, webSearch];
}

/**
 * Older models refuse tools and a promise of JSON within one request. The
 * tools stay, and the form of the answer is asked for in words.
 */
function fitFormat(
  request: ChatRequest,
  tools: readonly Json[],
  { model, report }: OutboundContext,
): ChatRequest {
  const { format, messages, ...rest } = request;
  const isStrict = format !== undefined && format.type !== "text";
  if (!isStrict || tools.length === 0 || isOwn(request) || isNewest(model)) return request;
  report.lose("response_format");
  const schema = format.type === "json_schema" ? format.schema : undefined;
  const text =
    "Give your final answer as JSON and nothing else" +
    (schema === undefined ? "." : `, conforming to this schema: ${JSON.stringify(schema)}`);
  const asked: Message = { role: "system", blocks: [{ type: "text", text }] };
  return { ...rest, messages: [asked, ...messages] };
}

/** Members that only this style knows. What is deeper than a member of the two objects goes with what holds it. */
function ownExtra(extra: JsonObject = {}): JsonObject {
  const own = Object.entries(extra).filter(([name]) => isOwnMember(name));
  return Object.fromEntries(own);
}

function isOwnMember(name: string): boolean {
  return name !== "tools" && /^(?:(?:generationConfig|toolConfig)\.)?[^.]+$/.test(name);
}
