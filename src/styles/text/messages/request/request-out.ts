import type { ChatRequest } from "#core/chat.ts";
import type { OutboundContext } from "#core/style.ts";
import { isArray, type Json, type JsonObject } from "#lib/json.ts";
import { defined, restOf } from "#lib/values.ts";
import { takeCaching, type Caching } from "#styles/text/prompt-cache.ts";
import { buildMark, withVendorMarks } from "../conversation/cache.ts";
import { buildConversation } from "../conversation/conversation-out.ts";
import { writeFields } from "./hub-fields.ts";
import { withInstruction } from "./instruction.ts";
import { limitMarks } from "../conversation/limit-marks.ts";
import { planOutput } from "./output-out.ts";
import { MESSAGES, rawFieldsOf } from "../raw-fields.ts";
import { buildTools } from "../conversation/tool-out.ts";

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

  const conversation = buildConversation(request, context);
  const output = planOutput(request, conversation, context);
  const { system, messages } = limitMarks(
    withInstruction(conversation.system, output.instruction),
    conversation.messages,
    report,
  );
  const choosing = buildTools(request, messages, output.isThinking, context);
  const { instruction } = choosing;
  const mark = own["cache_control"] ?? endMark(caching);
  const body: Record<string, Json | undefined> = defined({
    model: request.model,
    system,
    messages: instruction === undefined ? messages : withLastWords(messages, instruction),
    stream: request.stream ? true : undefined,
    ...restOf(own, REBUILT),
    cache_control: mark === undefined ? undefined : withVendorMarks("cache_control", mark),
  });
  writeFields(request, { report, raw: rawFieldsOf(request), output, choosing }, body);
  return body;
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
