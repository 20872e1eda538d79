import { findCounting } from "#catalog/families.ts";
import type { Block, ChatRequest } from "#core/chat.ts";
import type { InboundStyle } from "#core/style.ts";
import { isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { readEvents } from "#lib/sse.ts";
import { integerOf, memberOf, objectOf, textOf } from "#lib/values.ts";
import { countInput } from "#relay/metering/count-input.ts";
import { chat } from "#styles/text/chat/index.ts";
import { gemini } from "#styles/text/gemini/index.ts";
import { messages } from "#styles/text/messages/index.ts";
import { responses } from "#styles/text/responses/index.ts";
import { readLines, readShared } from "#test/shared.ts";

/**
 * `text`: words only; `thinking`, `format`: the same, asked to think or to
 * fill a schema; `tools`: with tools; `calls`: with calls and their results.
 * The rest is not judged: `media` counts by the piece, and what the vendor's
 * own tools bring in (`others`) cannot be known beforehand.
 */
export type Kind = "text" | "thinking" | "format" | "tools" | "calls" | "media" | "others";

/** A recorded question: how long the vendor said it was, and what is counted here. */
export interface Counted {
  readonly file: string;
  readonly vendor: string;
  readonly kind: Kind;
  readonly told: number;
  readonly ours: number;
}

const STYLES: Readonly<Record<string, InboundStyle>> = {
  "chat-completions": chat,
  messages,
  "messages-count-tokens": messages,
  "vertex-raw-predict": messages,
  "vertex-stream-raw-predict": messages,
  responses,
  "responses-input-tokens": responses,
  "generate-content": gemini,
  "stream-generate-content": gemini,
  "count-tokens": gemini,
};

/** Every recorded question that the vendor answered with its length; one that was asked twice counts once. */
export async function readCounted(): Promise<readonly Counted[]> {
  const seen = new Set<string>();
  const counted: Counted[] = [];
  for (const { file, provider, endpoint, status } of readLines("corpus/index.jsonl")) {
    const style = STYLES[textOf(endpoint) ?? ""];
    if (style === undefined || status !== 200 || typeof file !== "string") continue;
    const recorded = readShared(`corpus/${file}`);
    const question = questionOf(recorded, style);
    const told = lengthIn(objectOf(recorded["response"]) ?? {});
    const once = JSON.stringify([question?.body, told]);
    if (question === undefined || told === undefined || seen.has(once)) continue;
    seen.add(once);
    const { model, request } = question;
    const ours = await countInput(request, { counting: findCounting(model) ?? {} });
    const vendor = `${textOf(provider) ?? ""}${RETIRED.test(model) ? ", retired" : ""}`;
    counted.push({ file, vendor, kind: kindOf(request, question.body), told, ours });
  }
  return counted;
}

/** Sold by one vendor no more, and counted otherwise than what it sells now. */
const RETIRED = /grok-(2|3|code)/;

interface RequestSpec {
  readonly model: string;
  readonly body: JsonObject;
  readonly request: ChatRequest;
}

/** As the style reads it; nothing where it was not recorded, or is one that we refuse. */
function questionOf({ request }: JsonObject, { inbound }: InboundStyle): RequestSpec | undefined {
  const asked = objectOf(memberOf(request, "body"));
  if (asked === undefined) return undefined;
  const path = textOf(memberOf(request, "path")) ?? "";
  const named = /(?:models|deployments)\/([^:?/]+)/.exec(path)?.[1];
  const model = textOf(asked["model"]) ?? named ?? "m";
  const nested = objectOf(asked["generateContentRequest"]);
  // What was left to the path, or need not be said to be counted.
  const body = nested ?? { model, max_tokens: 1, ...asked, ...allowedThinking(asked) };
  try {
    const facts = inbound.readRequest(body, { model, stream: false });
    return { model, body, request: inbound.parseRequest(body, facts) };
  } catch {
    return undefined;
  }
}

/** Half of the recordings think for exactly as long as our specification forbids. */
function allowedThinking({ thinking }: JsonObject): JsonObject {
  const isShortest = memberOf(thinking, "budget_tokens") === 1024 && isObject(thinking);
  return isShortest ? { thinking: { ...thinking, budget_tokens: 1025 } } : {};
}

function kindOf(
  { messages: turns, tools, format, reasoning }: ChatRequest,
  body: JsonObject,
): Kind {
  const blocks = turns.flatMap((turn) => turn.blocks.flatMap(withInner));
  const has = (...types: readonly Block["type"][]) =>
    blocks.some(({ type }) => types.includes(type));
  if (has("image", "audio", "video", "file")) return "media";
  if (has("other") || needsMore(body)) return "others";
  if (has("tool_call", "tool_result")) return "calls";
  if (tools !== undefined && tools.length > 0) return "tools";
  if (format?.type === "json_schema") return "format";
  return reasoning === undefined || reasoning.enabled === false ? "text" : "thinking";
}

/** The vendor's own tools, earlier turns that it keeps, tools that it leaves out. */
function needsMore(body: JsonObject): boolean {
  const { tools, tool_choice: choice, previous_response_id: previous, toolConfig } = body;
  if (typeof previous === "string" || choice === "none") return true;
  if (/"mode":"NONE"/.test(JSON.stringify(toolConfig ?? ""))) return true;
  return listed(tools).some((tool) => !isFunction(tool)) || "web_search_options" in body;
}

function isFunction(tool: Json): boolean {
  const type = memberOf(tool, "type");
  const isPlain = type === undefined || type === null || type === "custom";
  return isPlain
    ? ["input_schema", "functionDeclarations", "function_declarations"].some(
        (name) => memberOf(tool, name) !== undefined,
      )
    : type === "function";
}

function listed(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function withInner(block: Block): readonly Block[] {
  return block.type === "tool_result" ? [block, ...block.blocks] : [block];
}

/** What the vendor says of the question's length, read in the plainest way: the most that is said anywhere. */
function lengthIn({ body, sse }: JsonObject): number | undefined {
  const parts =
    typeof sse === "string" ? readEvents(`${sse}\n\n`).map(({ data }) => parseJson(data)) : [body];
  const lengths = parts.flat().flatMap((part) => lengthsIn(part));
  return lengths.length === 0 ? undefined : Math.max(...lengths);
}

function lengthsIn(part: Json | undefined): readonly number[] {
  const holders = [part, memberOf(part, "message"), memberOf(part, "response")];
  const reports = [
    part,
    ...holders.map((holder) => memberOf(holder, "usage")),
    memberOf(part, "usageMetadata"),
    memberOf(memberOf(part, "x_groq"), "usage"),
  ];
  return reports.map(lengthOf).filter((length) => length > 0);
}

function lengthOf(report: Json | undefined): number {
  const sum = (...names: readonly string[]) =>
    names.reduce((total, name) => total + (integerOf(memberOf(report, name)) ?? 0), 0);
  const cached = sum("cache_creation_input_tokens", "cache_read_input_tokens");
  const input = sum("input_tokens");
  return (
    sum("prompt_tokens") ||
    sum("promptTokenCount") ||
    (input === 0 ? 0 : input + cached) ||
    sum("totalTokens")
  );
}
