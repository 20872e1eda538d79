import type { ChatRequest, Extra } from "#core/chat.ts";
import type { LossReport } from "#core/lossy.ts";
import type { OutboundContext } from "#core/style.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { memberOf, objectOf, pick, textOf } from "#lib/values.ts";
import { planBreakpoints, type BreakpointPlan } from "#styles/text/prompt-cache.ts";
import { hasPrefill } from "#styles/text/prefill.ts";
import { dialectOf, type ChatDialect } from "./dialect.ts";
import { writeFields } from "./hub-fields.ts";
import { withJsonHint } from "./json-hint.ts";
import { buildMessages } from "../conversation/message-out.ts";
import { pairCalls } from "../conversation/pair-calls.ts";
import { withPrefill } from "./prefill.ts";
import { CHAT, isOwn, rawFieldsOf } from "../raw-fields.ts";
import { withFillerTurns } from "../conversation/filler-turn.ts";

/**
 * In the shape of the style's first vendor, and in the dialect of the one who
 * is asked. What the caller wrote in this style goes out as it was written,
 * unless its meaning was changed on the way.
 */
export function buildRequest(request: ChatRequest, context: OutboundContext): JsonObject {
  const { report, model } = context;
  const dialect = dialectOf(context);
  const caching = planCaching(request, context);
  const raw = rawFieldsOf(request);
  // What a caller of this style wrote for another one still stands where they wrote it.
  const { verbosity, extra } = withVerbosity(caching.extra, context, dialect);
  if (raw === undefined) report.loseForeign(extra, CHAT);

  const messages = messagesOf(request, dialect, report, caching.marks);
  const body: Record<string, Json | undefined> = {
    model: request.model,
    messages,
    ...(request.stream ? streaming(raw) : {}),
    ...pick(raw ?? {}, ["usage"]),
    ...caching.members,
    ...request.extra?.[CHAT],
    ...(verbosity === undefined ? {} : { verbosity }),
    ...pick(raw ?? {}, ["parameters"]),
  };
  const { stream, model: modelName } = request;
  writeFields(request, { report, model, dialect, raw, stream, modelName }, body);
  return raw === undefined ? { ...body, ...keepingReasoning(messages, body, dialect) } : body;
}

/** A caller of this style wrote its own breakpoints. Here the one at the end lives short. */
function planCaching(request: ChatRequest, context: OutboundContext): BreakpointPlan {
  if (isOwn(request)) return { marks: new Map(), members: {}, extra: request.extra };
  const plan = planBreakpoints(request, context, ({ role }) => role !== "assistant");
  const mode = memberOf(plan.members["prompt_cache_options"], "mode");
  return mode === undefined ? plan : { ...plan, members: { prompt_cache_options: { mode } } };
}

/** A caller of this style answers for their own conversation; another's is made to fit. */
function messagesOf(
  request: ChatRequest,
  dialect: ChatDialect,
  report: LossReport,
  marks: BreakpointPlan["marks"],
): readonly JsonObject[] {
  const messages = buildMessages(request.messages, dialect, report, marks);
  if (isOwn(request)) return messages;
  const paired = pairCalls(messages, report);
  const turns = dialect.usersAfterTools === false ? withFillerTurns(paired) : paired;
  const spoken = hasPrefill(request) ? withPrefill(turns, dialect, report) : turns;
  return withJsonHint(spoken, request.format);
}

/** Usage is always asked for: a call is billed by it. */
function streaming(raw: JsonObject = {}): JsonObject {
  const options = { ...objectOf(raw["stream_options"]), include_usage: true };
  return { stream: true, stream_options: options };
}

/** The responses style has it in `text`. */
function withVerbosity(
  extra: Extra = {},
  { model }: OutboundContext,
  dialect: ChatDialect,
): { readonly verbosity?: Json; readonly extra: Extra } {
  const verbosity = extra[RESPONSES]?.[VERBOSITY];
  const isTaken = dialect.verbosity === true && model.reasoningControls !== undefined;
  if (verbosity === undefined || !isTaken) return { extra };
  const { [VERBOSITY]: _, ...rest } = extra[RESPONSES] ?? {};
  return { verbosity, extra: { ...extra, [RESPONSES]: rest } };
}

const VERBOSITY = "text.verbosity";
const RESPONSES = "responses";

/** The reasoning of earlier turns was sent to be read: a caller of another style cannot say so in this one. */
function keepingReasoning(
  messages: readonly JsonObject[],
  body: JsonObject,
  { keepsReasoning }: ChatDialect,
): JsonObject {
  if (keepsReasoning?.models.test(textOf(body["model"]) ?? "") !== true) return {};
  const isBack = messages.some((message) => message["reasoning_content"] !== undefined);
  const isOff = memberOf(body["thinking"], "type") === "disabled";
  if (!isBack || isOff) return {};
  const { thinking, ...others } = keepsReasoning.by;
  if (thinking === undefined) return others;
  return { ...others, thinking: { ...objectOf(thinking), ...objectOf(body["thinking"]) } };
}
