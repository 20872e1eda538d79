import type { ChatRequest, OutputFormat } from "#core/chat.ts";
import type { OutboundContext } from "#core/style.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, objectOf, pick } from "#lib/values.ts";
import { losesBudget, planReasoning } from "#core/reasoning.ts";
import { parseReasoning } from "./reasoning-in.ts";
import { buildThinking, cannotThink, isOff } from "./reasoning-out.ts";
import {
  FORMAT_MEMBERS,
  parseFormat,
  parseLogprobs,
  parseModalities,
  parsePicture,
  parseStop,
} from "./request-in.ts";
import { toSchemaSubset } from "./schema-subset.ts";
import { CONFIG, GEMINI, isOwn, spellingIn } from "./spelling.ts";

/** The most that servers of this style take. */
const MAX_STOPS = 5;
const MAX_SEED = 2 ** 31 - 1;

/** Everything of `generationConfig`; in the caller's words where they wrote in this style. */
export function buildConfig(
  request: ChatRequest,
  format: OutputFormat | undefined,
  context: OutboundContext,
): JsonObject {
  const own = request.extra?.[GEMINI] ?? {};
  return defined({
    ...objectOf(own["generationConfig"]),
    ...members(own),
    ...buildSampling(request, context),
    maxOutputTokens: fitted(request, context),
    candidateCount: request.choices,
    ...asWritten(request, ["stopSequences"], request.stop, parseStop, (stop) =>
      buildStop(stop, context),
    ),
    ...asWritten(request, LOGPROBS, request.logprobs, parseLogprobs, (logprobs) =>
      defined({ responseLogprobs: true, logprobs: logprobs.top }),
    ),
    ...asWritten(
      request,
      ["responseModalities"],
      request.modalities,
      parseModalities,
      modalitiesOf,
    ),
    ...asWritten(request, ["imageConfig"], request.picture, parsePicture, (wish) => ({
      imageConfig: defined({ aspectRatio: wish.aspectRatio, imageSize: wish.size }),
    })),
    ...asWritten(request, FORMAT_MEMBERS, format, parseFormat, (wanted) =>
      buildFormat(wanted, context),
    ),
    ...asWritten(
      request,
      ["thinkingConfig"],
      request.reasoning,
      (config) => parseReasoning(config["thinkingConfig"]),
      () => thinkingOf(request, context),
    ),
  });
}

const LOGPROBS = ["responseLogprobs", "logprobs"] as const;

type Members = Readonly<Record<string, Json | undefined>>;

/** The caller's own words where they still mean what the request says. */
function asWritten<T>(
  request: ChatRequest,
  names: readonly string[],
  value: T | undefined,
  parse: (config: JsonObject) => T | undefined,
  build: (value: T) => Members,
): Members {
  const config = spellingIn(request)?.["generationConfig"];
  const written = pick(isObject(config) ? config : {}, names);
  if (Object.keys(written).length > 0 && isSame(parse(written), value)) return written;
  return value === undefined ? {} : build(value);
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The style's own extras of this object, out of their dotted names; what is deeper goes with what holds it. */
function members(own: JsonObject): Record<string, Json> {
  const found: Record<string, Json> = {};
  for (const [name, value] of Object.entries(own)) {
    const member = name.startsWith(CONFIG) ? name.slice(CONFIG.length) : "";
    if (member !== "" && !member.includes(".") && value !== undefined) found[member] = value;
  }
  return found;
}

function buildSampling(request: ChatRequest, { model, report }: OutboundContext): Members {
  const { sampling } = request;
  const { presencePenalty, frequencyPenalty, topK, seed, ...rest } = sampling;
  if (isOwn(request)) return { ...sampling };
  // The models that think refuse penalties.
  const takesPenalties = model.reasoningControls === undefined;
  if (!takesPenalties && (presencePenalty ?? 0) !== 0) report.lose("presence_penalty");
  if (!takesPenalties && (frequencyPenalty ?? 0) !== 0) report.lose("frequency_penalty");
  const isSeedFit = seed === undefined || (seed >= -MAX_SEED && seed <= MAX_SEED);
  if (!isSeedFit) report.lose("seed");
  return {
    ...rest,
    ...(takesPenalties ? { presencePenalty, frequencyPenalty } : {}),
    // Elsewhere none, or less than one, stands for no limit.
    topK: topK !== undefined && topK >= 1 ? topK : undefined,
    seed: isSeedFit ? seed : undefined,
  };
}

/** Some clients ask for more than any model can write, which this vendor refuses. */
function fitted(request: ChatRequest, { model, report }: OutboundContext): number | undefined {
  const { maxOutputTokens: asked } = request;
  const most = model.maxOutputTokens ?? Infinity;
  if (asked === undefined || asked <= most || isOwn(request)) return asked;
  report.lose("max_tokens");
  return most;
}

function buildStop(stop: readonly string[], { report }: OutboundContext): Members {
  if (stop.length > MAX_STOPS) report.lose("stop");
  return stop.length === 0 ? {} : { stopSequences: stop.slice(0, MAX_STOPS) };
}

/** Text alone is what every model answers with. */
function modalitiesOf(modalities: readonly string[]): Members {
  if (modalities.length === 1 && modalities[0] === "text") return {};
  return { responseModalities: modalities.map((one) => one.toUpperCase()) };
}

/** The models that think read JSON schema itself; for older ones it is cut to what they know. */
function buildFormat(format: OutputFormat, { model }: OutboundContext): Members {
  if (format.type === "text") return {};
  const schema = format.type === "json_schema" ? format.schema : undefined;
  return {
    responseMimeType: "application/json",
    ...(schema === undefined
      ? {}
      : model.reasoningControls === undefined
        ? { responseSchema: toSchemaSubset(schema) }
        : { responseJsonSchema: schema }),
  };
}

function thinkingOf(request: ChatRequest, { model, report }: OutboundContext): Members {
  const thinkingConfig = buildThinking(request, model);
  const isOut = cannotThink(model) || thinkingConfig?.["thinkingBudget"] === 0;
  if (isOut && asksToThink(request)) report.lose("reasoning");
  else if (
    losesBudget(request.reasoning, planReasoning(request.reasoning, model.reasoningControls))
  )
    report.lose("reasoning.budget_tokens");
  return { thinkingConfig };
}

function asksToThink({ reasoning = {} }: ChatRequest): boolean {
  const { effort, budgetTokens, enabled } = reasoning;
  const isSteered = enabled === true || effort !== undefined || budgetTokens !== undefined;
  return isSteered && !isOff(reasoning);
}
