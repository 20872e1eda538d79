import type { ChatRequest } from "#core/chat.ts";
import { refuse, type LossReport } from "#core/lossy.ts";
import type { OutboundContext } from "#core/style.ts";
import { isArray, type JsonObject } from "#lib/json.ts";
import { defined, restOf } from "#lib/values.ts";
import { asWritten } from "./as-written.ts";
import { takeCaching, type Caching } from "#styles/text/prompt-cache.ts";
import { buildMark, withVendorMarks } from "./cache.ts";
import { buildConversation } from "./conversation-out.ts";
import { withInstruction } from "./instruction.ts";
import { limitMarks } from "./limit-marks.ts";
import { planOutput } from "./output-out.ts";
import { parseMetadata } from "./request-in.ts";
import { fitSampling } from "./sampling-out.ts";
import { MESSAGES } from "./spelling.ts";
import { buildTools } from "./tool-out.ts";

/**
 * In the shape of the style's first vendor. What the caller wrote in this
 * style goes out as it was written, unless its meaning was changed on the way.
 */
export function buildRequest(request: ChatRequest, context: OutboundContext): JsonObject {
  const { report } = context;
  const own = request.extra?.[MESSAGES] ?? {};
  const { [MESSAGES]: _, ...foreign } = request.extra ?? {};
  const { caching, extra } = takeCaching(foreign);
  report.loseForeign(extra, MESSAGES);
  refuseUnreachable(request);
  reportForeign(request, report);

  const conversation = buildConversation(request, context);
  const output = planOutput(request, conversation, context);
  const { temperature, topP, topK } = fitSampling(request, output, report);
  const { system, messages } = limitMarks(
    withInstruction(conversation.system, output.instruction),
    conversation.messages,
    report,
  );
  const mark = own["cache_control"] ?? endMark(caching);
  const { instruction, ...tools } = buildTools(request, messages, output.isThinking, context);
  return defined({
    model: request.model,
    max_tokens: output.maxTokens,
    system,
    messages: instruction === undefined ? messages : withLastWords(messages, instruction),
    stream: request.stream ? true : undefined,
    temperature,
    top_p: topP,
    top_k: topK,
    stop_sequences: buildStop(request, report),
    ...restOf(own, REBUILT),
    cache_control: mark === undefined ? undefined : withVendorMarks("cache_control", mark),
    ...output.members,
    ...buildMetadata(request, report),
    ...tools,
  });
}

/**
 * Told at the end and not in the system prompt: it holds for one answer, and
 * what stands before earlier thinking stays as it was.
 */
function withLastWords(messages: readonly JsonObject[], words: string): readonly JsonObject[] {
  const last = messages.at(-1);
  if (last?.["role"] !== "user") return messages;
  const { content = "" } = last;
  const said = isArray(content) ? content : [{ type: "text", text: content }];
  return [...messages.slice(0, -1), { ...last, content: [...said, { type: "text", text: words }] }];
}

/** Without a mark of its own at the prompt's end this vendor writes none. */
function endMark(caching: Caching | undefined): JsonObject | undefined {
  return caching?.mode === "implicit" ? buildMark(caching.life ?? "short") : undefined;
}

/** Of the caller's own, but not written as they stand. */
const REBUILT = new Set(["tools", "tool_choice", "output_config", "cache_control"]);

function refuseUnreachable({ choices = 1, modalities = [] }: ChatRequest): void {
  if (choices > 1) throw refuse("n", "upstreams of the messages style give one answer.");
  const unreachable = modalities.find((modality) => modality !== "text");
  if (unreachable === undefined) return;
  throw refuse("modalities", `no upstream of the messages style answers with ${unreachable}.`);
}

function reportForeign({ sampling, logprobs, picture }: ChatRequest, report: LossReport): void {
  const { presencePenalty = 0, frequencyPenalty = 0, seed } = sampling;
  if (presencePenalty !== 0) report.lose("presence_penalty");
  if (frequencyPenalty !== 0) report.lose("frequency_penalty");
  if (seed !== undefined) report.lose("seed");
  if (logprobs !== undefined) report.lose("logprobs");
  if (picture !== undefined) report.lose("image_config");
}

/** Blank ones are refused. */
function buildStop({ stop = [] }: ChatRequest, report: LossReport): readonly string[] | undefined {
  const fit = stop.filter((one) => one.trim() !== "");
  if (fit.length < stop.length) report.lose("stop");
  return fit.length === 0 ? undefined : fit;
}

const MAX_USER_LENGTH = 256;

function buildMetadata(request: ChatRequest, report: LossReport): JsonObject {
  const { user, metadata } = request;
  const written = asWritten(request, ["metadata"], { user, metadata }, parseMetadata);
  if (written !== undefined) return written;
  if (metadata !== undefined) report.lose("metadata");
  if (user === undefined) return {};
  if (user.length <= MAX_USER_LENGTH) return { metadata: { user_id: user } };
  report.lose("user");
  return {};
}
