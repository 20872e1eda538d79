import type { FoundModel } from "#core/found-model.ts";
import type { Modality, ModelTraits, RequestRules, ThinkingType } from "#core/model.ts";
import type { ReasoningControls } from "#core/reasoning.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, integerOf, listOf, memberOf, objectOf, textOf } from "#lib/values.ts";

/**
 * An item of `data` in a model list. It may have the members of three formats, which do not
 * conflict. They are the messages style's list (`capabilities`, @anthropic-ai/sdk 1.12.0),
 * OpenRouter's (`architecture`, `supported_parameters`, @openrouter/sdk 1.3.19), which other
 * gateways write too, and vLLM's `max_model_len`.
 */
export function readListed(item: Json): readonly FoundModel[] {
  if (!isObject(item)) return [];
  const id = textOf(item["id"]);
  if (id === undefined) return [];
  const traits = withoutNothing({ ...ofOpenRouter(item), ...ofMessages(item) });
  const createdAt = secondsOf(item);
  return [{ id, ...defined({ createdAt, traits }) }];
}

/** A time before the format existed is a placeholder. */
const FIRST_SECOND = Date.UTC(2015, 0) / 1_000;

function secondsOf({ created, created_at: createdAt }: JsonObject): number | undefined {
  const parsed = Date.parse(textOf(createdAt) ?? "") / 1_000;
  const seconds = integerOf(created) ?? (Number.isNaN(parsed) ? undefined : Math.trunc(parsed));
  return seconds !== undefined && seconds > FIRST_SECOND ? seconds : undefined;
}

/** Unix seconds. */
function instantOf(value: Json | undefined): number | undefined {
  const ms = Date.parse(textOf(value) ?? "");
  return Number.isNaN(ms) ? undefined : Math.trunc(ms / 1_000);
}

function ofMessages(item: JsonObject): ModelTraits {
  const capabilities = objectOf(item["capabilities"]);
  const limits = defined({
    contextTokens: positive(item["max_input_tokens"]),
    maxOutputTokens: positive(item["max_tokens"]),
    line: textOf(item["line"]),
    deprecatedAt: instantOf(item["deprecated_at"]),
    retiresAt: instantOf(item["retires_at"]),
  });
  if (capabilities === undefined) return limits;
  const can = (...path: readonly string[]): boolean => isSupported(capabilities, path);
  const files: readonly [Modality, boolean][] = [
    ["image", can("image_input")],
    ["file", can("pdf_input")],
  ];
  return {
    kind: "chat",
    input: ["text", ...files.flatMap(([modality, isTaken]) => (isTaken ? [modality] : []))],
    output: ["text"],
    tools: true,
    ...limits,
    ...defined({ reasoningControls: controlsIn(capabilities), rules: rulesIn(capabilities) }),
  };
}

const THINKING: readonly ThinkingType[] = ["enabled", "disabled", "adaptive", "between_tools"];
const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];
/** The minimum of the style's vendor. */
const MIN_BUDGET = 1_024;

function controlsIn(capabilities: JsonObject): ReasoningControls | undefined {
  if (!isSupported(capabilities, ["thinking"])) return undefined;
  const types = thinkingIn(capabilities);
  const efforts = EFFORTS.filter((effort) => isSupported(capabilities, ["effort", effort]));
  return {
    ...(types.includes("disabled") ? { toggle: true } : {}),
    ...(efforts.length > 0 ? { efforts } : {}),
    ...(types.includes("enabled") ? { budget: { minTokens: MIN_BUDGET } } : {}),
  };
}

function rulesIn(capabilities: JsonObject): RequestRules | undefined {
  const thinking = thinkingIn(capabilities);
  const formats = objectOf(capabilities["structured_outputs"]);
  return {
    ...(thinking.length > 0 ? { thinking } : {}),
    ...(formats !== undefined && formats["supported"] === false ? { formats: [] } : {}),
  };
}

function thinkingIn(capabilities: JsonObject): readonly ThinkingType[] {
  return THINKING.filter((type) => isSupported(capabilities, ["thinking", "types", type]));
}

function isSupported(capabilities: JsonObject, path: readonly string[]): boolean {
  const leaf = path.reduce<Json | undefined>((at, step) => memberOf(at, step), capabilities);
  return memberOf(leaf, "supported") === true;
}

const MODALITIES: ReadonlySet<Json> = new Set(["text", "image", "audio", "video", "file"]);

function ofOpenRouter(item: JsonObject): ModelTraits {
  const architecture = objectOf(item["architecture"]);
  const top = objectOf(item["top_provider"]);
  const input = modalitiesIn(architecture?.["input_modalities"]);
  const output = modalitiesIn(architecture?.["output_modalities"]);
  const parameters = listOf(item["supported_parameters"]);
  const efforts = listOf(memberOf(item["reasoning"], "efforts")).filter(isWord);
  return defined({
    kind: output?.includes("text") === true ? ("chat" as const) : undefined,
    input,
    output,
    tools: parameters.length === 0 ? undefined : parameters.includes("tools"),
    contextTokens: positive(item["context_length"]) ?? positive(item["max_model_len"]),
    maxOutputTokens: positive(top?.["max_completion_tokens"]),
    reasoningControls: efforts.length === 0 ? undefined : { efforts: weakestFirst(efforts) },
  });
}

function isWord(value: Json): value is string {
  return typeof value === "string";
}

/** Lists use either order. */
function weakestFirst(efforts: readonly string[]): readonly string[] {
  return efforts.toSorted((one, other) => EFFORTS.indexOf(one) - EFFORTS.indexOf(other));
}

function modalitiesIn(list: Json | undefined): readonly Modality[] | undefined {
  const known = listOf(list).filter((each): each is Modality => MODALITIES.has(each));
  return known.length === 0 ? undefined : known;
}

function positive(value: Json | undefined): number | undefined {
  const number = integerOf(value);
  return number !== undefined && number > 0 ? number : undefined;
}

function withoutNothing(traits: ModelTraits): ModelTraits | undefined {
  return Object.keys(traits).length === 0 ? undefined : traits;
}
