import type { ChatRequest, OutputFormat } from "#core/chat.ts";
import { refuse, type LossReport } from "#core/lossy.ts";
import type { OutboundContext } from "#core/style.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { defined, listOf, objectOf, pick, restOf } from "#lib/values.ts";
import { CHAT } from "#styles/text/chat/spelling.ts";
import { planBreakpoints, type BreakpointPlan } from "#styles/text/prompt-cache.ts";
import { choosesSearch } from "#styles/text/search-choice.ts";
import { buildConversation } from "./conversation-out.ts";
import { declarationOf, ToolNames } from "./declared-tools.ts";
import { normalizeReasoning } from "./normalize.ts";
import { asksForProof, buildReasoning, showsReasoning } from "./reasoning-out.ts";
import { parseFormat, parseLogprobs, parseReasoning, parseUser } from "./request-in.ts";
import { ENCRYPTED, LOGPROBS, RESPONSES, SPELLED_MEMBERS, spellingIn } from "./spelling.ts";
import { parseToolChoice, parseTools } from "./tool-in.ts";
import { buildTool, buildToolChoice, buildWebSearch, withOwnNames } from "./tool-out.ts";

/**
 * In the shape of the style's first vendor, which is never asked to keep
 * anything: responses are kept by the gateway. What the caller wrote in this
 * style goes out as it was written, unless its meaning was changed on the way.
 */
export function buildRequest(request: ChatRequest, context: OutboundContext): JsonObject {
  const { report } = context;
  const written = spellingIn(request) ?? {};
  const caching = planCaching(request, context);
  const { [CHAT]: ofChat, ...extra } = caching.extra ?? {};
  const { shared, verbosity, rest } = sharedWith(ofChat ?? {});
  refuseUnspeakable(request);
  reportUntunable(request, report);
  report.loseForeign({ ...extra, [CHAT]: rest }, RESPONSES);

  return defined({
    model: request.model,
    ...buildConversation(request, context, caching.marks),
    ...(request.stream ? { stream: true } : {}),
    ...pick(written, ["stream_options", "truncation"]),
    store: false,
    include: buildInclude(request, context),
    temperature: request.sampling.temperature,
    top_p: request.sampling.topP,
    ...buildPenalties(request),
    max_output_tokens: buildLimit(request, report),
    metadata: buildMetadata(request, report),
    ...shared,
    ...caching.members,
    ...ownExtra(request),
    ...asWritten(request, ["user", "safety_identifier"], request.user, parseUser, (user) =>
      buildUser(user, report),
    ),
    ...asWritten(request, ["top_logprobs"], request.logprobs, logprobsIn(written), (logprobs) =>
      defined({ top_logprobs: logprobs.top }),
    ),
    ...normalized(
      asWritten(request, ["reasoning"], request.reasoning, parseReasoning, (asked) => ({
        reasoning: buildReasoning(asked, context),
      })),
    ),
    ...(verbosity === undefined ? {} : { text: { verbosity } }),
    ...asWritten(request, ["text"], request.format, parseFormat, (format) => ({
      text: {
        ...objectOf(written["text"]),
        ...defined({ verbosity }),
        format: buildFormat(format),
      },
    })),
    ...buildTools(request, report),
  });
}

/** A caller of this style wrote its own breakpoints. Only input can have any. */
function planCaching(request: ChatRequest, context: OutboundContext): BreakpointPlan {
  if (spellingIn(request) !== undefined) {
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

/** An answer without these would be to another question. */
function refuseUnspeakable({ choices, modalities }: ChatRequest): void {
  if (choices !== undefined && choices > 1) {
    throw refuse("n", "the responses style has one answer to a request.");
  }
  const other = modalities?.find((one) => one !== "text");
  if (other !== undefined)
    throw refuse("modalities", `the responses style has no ${other} output.`);
}

/** Penalties are of the open form of this style, so only its own callers send them. */
function reportUntunable(request: ChatRequest, report: LossReport): void {
  const { sampling, stop, picture } = request;
  const isOwn = spellingIn(request) !== undefined;
  const { topK, presencePenalty, frequencyPenalty, seed } = sampling;
  if (topK !== undefined) report.lose("top_k");
  if (presencePenalty !== undefined && !isOwn) report.lose("presence_penalty");
  if (frequencyPenalty !== undefined && !isOwn) report.lose("frequency_penalty");
  if (seed !== undefined) report.lose("seed");
  if (stop !== undefined && stop.length > 0) report.lose("stop");
  if (picture !== undefined) report.lose("image_config");
}

function buildPenalties(request: ChatRequest): JsonObject {
  const { presencePenalty, frequencyPenalty } = request.sampling;
  if (spellingIn(request) === undefined) return {};
  return defined({ presence_penalty: presencePenalty, frequency_penalty: frequencyPenalty });
}

const SPELLED: ReadonlySet<string> = new Set(SPELLED_MEMBERS);

/** A name with a dot only says what other styles lose of a member that stands here whole. */
function ownExtra({ extra }: ChatRequest): JsonObject {
  const own = Object.entries(extra?.[RESPONSES] ?? {});
  return Object.fromEntries(own.filter(([name]) => !name.includes(".") && !SPELLED.has(name)));
}

function buildInclude(
  request: ChatRequest,
  { model }: OutboundContext,
): readonly Json[] | undefined {
  const includes = new Set(listOf(spellingIn(request)?.["include"]));
  if (asksForProof(model, showsReasoning(request))) includes.add(ENCRYPTED);
  if (request.logprobs !== undefined) includes.add(LOGPROBS);
  return includes.size === 0 ? undefined : [...includes];
}

/** The least that the style's first vendor takes. */
const MIN_OUTPUT_TOKENS = 16;

function buildLimit(request: ChatRequest, report: LossReport): number | undefined {
  const { maxOutputTokens: limit } = request;
  if (limit === undefined || limit >= MIN_OUTPUT_TOKENS || spellingIn(request) !== undefined) {
    return limit;
  }
  report.lose("max_tokens");
  return MIN_OUTPUT_TOKENS;
}

const MAX_USER_LENGTH = 64;
const MAX_NOTES = 16;
const MAX_NOTE_LENGTH = 512;

/** Some clients put whole records here, which the vendor refuses. */
function buildUser(user: string, report: LossReport): JsonObject {
  if (user.length <= MAX_USER_LENGTH) return { user };
  report.lose("user");
  return {};
}

function buildMetadata(request: ChatRequest, report: LossReport): JsonObject | undefined {
  const { metadata } = request;
  if (metadata === undefined || spellingIn(request) !== undefined) return metadata;
  const notes = Object.values(metadata);
  const fits =
    notes.length <= MAX_NOTES &&
    notes.every((note) => typeof note === "string" && note.length <= MAX_NOTE_LENGTH);
  if (fits) return metadata;
  report.lose("metadata");
  return undefined;
}

/** Probabilities are asked for in `include`, beside this member. */
function logprobsIn(written: JsonObject): (body: JsonObject) => ChatRequest["logprobs"] {
  return (body) => parseLogprobs({ ...body, include: written["include"] });
}

function normalized(built: JsonObject): JsonObject {
  const reasoning = normalizeReasoning(built["reasoning"]);
  return reasoning === undefined ? built : { reasoning };
}

function buildFormat(format: OutputFormat): JsonObject {
  switch (format.type) {
    case "text":
      return { type: "text" };
    case "json":
      return { type: "json_object" };
    case "json_schema": {
      const { name, description, schema, strict } = format;
      return { type: "json_schema", ...defined({ name, description, schema, strict }) };
    }
  }
}

/** A choice among tools, only where there are any. */
function buildTools(request: ChatRequest, report: LossReport): JsonObject {
  // What an item of the input adds is told by that item.
  const declared = request.tools?.filter((tool) => declarationOf(tool)?.isAdded !== true);
  const asked: HubTools = defined({
    tools: declared?.length === 0 ? undefined : declared,
    webSearch: request.webSearch,
  });
  const names = new ToolNames(request.tools);
  for (const { extra } of request.tools ?? []) report.loseForeign(extra, RESPONSES, "tools.");
  const { tools } = asWritten(request, ["tools"], asked, toolsIn, () => {
    const built = [
      ...(declared ?? []).filter((tool) => declarationOf(tool) === undefined).map(buildTool),
      ...(request.webSearch === undefined ? [] : [buildWebSearch(request.webSearch, report)]),
      ...listOf(spellingIn(request)?.["tools"]).filter(isKept),
    ];
    return built.length === 0 ? {} : { tools: built };
  });
  const choosing = defined({
    ...asWritten(
      request,
      ["tool_choice"],
      request.toolChoice,
      (body) => parseToolChoice(body, names),
      (choice) => ({
        tool_choice: choosesSearch(request) ? SEARCH : buildToolChoice(choice, report),
      }),
    ),
    parallel_tool_calls: request.parallelToolCalls,
  });
  const own = spellingIn(request);
  if (listOf(tools).length === 0 && own === undefined) return {};
  const named = Object.entries({ ...defined({ tools }), ...choosing }).map(
    ([name, value]) => [name, value === own?.[name] ? withOwnNames(value ?? null) : value] as const,
  );
  return Object.fromEntries(named);
}

const SEARCH = { type: "web_search" };

type HubTools = Pick<ChatRequest, "tools" | "webSearch">;

function toolsIn(body: JsonObject): HubTools {
  const { tools, webSearch } = parseTools(body);
  return defined({ tools, webSearch });
}

/** Goes out as it was written: a hosted tool, a namespace, and what the style names by its type. */
function isKept(tool: Json): boolean {
  const { tools = [], webSearch } = toolsIn({ tools: [tool] });
  if (tools.length === 0) return webSearch === undefined;
  return tools.every((one) => declarationOf(one) !== undefined);
}

/** The caller's own words where they still mean what the request says. */
function asWritten<T>(
  request: ChatRequest,
  members: readonly string[],
  value: T | undefined,
  parse: (body: JsonObject) => T | undefined,
  build: (value: T) => Readonly<Record<string, Json | undefined>>,
): Readonly<Record<string, Json | undefined>> {
  const written = pick(spellingIn(request) ?? {}, members);
  if (Object.keys(written).length > 0 && isSame(parse(written), value)) return written;
  return value === undefined ? {} : build(value);
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
