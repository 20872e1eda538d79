import type { ChatRequest } from "#core/chat.ts";
import type { OutboundContext } from "#core/style.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { defined, listOf, pick, restOf } from "#lib/values.ts";
import { CHAT } from "#styles/text/chat/raw-fields.ts";
import { planBreakpoints, type BreakpointPlan } from "#styles/text/prompt-cache.ts";
import { buildConversation } from "../conversation/conversation-out.ts";
import { writeFields } from "./hub-fields.ts";
import { normalizeReasoning } from "../conversation/normalize.ts";
import { asksForProof, showsReasoning } from "../conversation/reasoning-out.ts";
import { ENCRYPTED, LOGPROBS, RESPONSES, rawFieldsOf } from "../raw-fields.ts";

/**
 * In the shape of the style's first vendor, which is never asked to keep
 * anything: responses are kept by the gateway. What the caller wrote in this
 * style goes out as it was written, unless its meaning was changed on the way.
 */
export function buildRequest(request: ChatRequest, context: OutboundContext): JsonObject {
  const { report, model } = context;
  const raw = rawFieldsOf(request);
  const caching = planCaching(request, context);
  const { [CHAT]: ofChat, ...extra } = caching.extra ?? {};
  const { shared, verbosity, rest } = sharedWith(ofChat ?? {});
  report.loseForeign({ ...extra, [CHAT]: rest }, RESPONSES);

  const body: Record<string, Json | undefined> = defined({
    model: request.model,
    ...buildConversation(request, context, caching.marks),
    ...(request.stream ? { stream: true } : {}),
    ...pick(raw ?? {}, ["stream_options", "truncation"]),
    store: false,
    include: buildInclude(request, context),
    ...shared,
    ...caching.members,
    ...ownExtra(request.extra?.[RESPONSES], raw),
    ...(verbosity === undefined ? {} : { text: { verbosity } }),
  });
  writeFields(request, { report, model, raw, verbosity }, body);
  const reasoning = normalizeReasoning(body["reasoning"]);
  return reasoning === undefined ? body : { ...body, reasoning };
}

/** A caller of this style wrote its own breakpoints. Only input can have any. */
function planCaching(request: ChatRequest, context: OutboundContext): BreakpointPlan {
  if (rawFieldsOf(request) !== undefined) {
    return { marks: new Map(), members: {}, extra: request.extra };
  }
  return planBreakpoints(request, context, ({ role }) => role !== "assistant");
}

/** What chat completions have under the same name and with the same meaning. */
const SHARED = [
  "prompt_cache_key",
  "prompt_cache_retention",
  "safety_identifier",
  "service_tier",
] as const;

function sharedWith(ofChat: JsonObject): {
  shared: JsonObject;
  verbosity: Json | undefined;
  rest: JsonObject;
} {
  const taken = new Set<string>([...SHARED, "verbosity"]);
  return {
    shared: pick(ofChat, SHARED),
    verbosity: ofChat["verbosity"] ?? undefined,
    rest: restOf(ofChat, taken) ?? {},
  };
}

/** A name with a dot only says what other styles lose of a member that stands here whole. */
function ownExtra(extra: JsonObject = {}, raw: JsonObject = {}): JsonObject {
  const own = Object.entries(extra);
  return Object.fromEntries(own.filter(([name]) => !name.includes(".") && raw[name] === undefined));
}

function buildInclude(
  request: ChatRequest,
  { model }: OutboundContext,
): readonly Json[] | undefined {
  const includes = new Set(listOf(rawFieldsOf(request)?.["include"]));
  if (asksForProof(model, showsReasoning(request))) includes.add(ENCRYPTED);
  if (request.logprobs !== undefined) includes.add(LOGPROBS);
  return includes.size === 0 ? undefined : [...includes];
}
