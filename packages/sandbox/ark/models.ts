import type { ReasoningEffort } from "../engine/conversation.ts";
import type { Model } from "../openai/models.ts";

export type ThinkingType = "enabled" | "disabled" | "auto";

/** A model of the platform. Abilities come from the vendor's documents and from error reports of users. */
export interface ArkModel extends Model {
  /** The kinds of thinking it knows, the usual one first; none for a model without the parameter. */
  readonly thinkingTypes: readonly ThinkingType[];
  /** None for a model without the parameter. */
  readonly knownEfforts: readonly ReasoningEffort[];
  readonly maxOutputTokens: number;
}

/** A model by its full name; the short names of the console are not known here. */
export function findArkModel(id: string): ArkModel | undefined {
  const found = ARK_MODELS.find((model) => model.id === id);
  // An endpoint that a customer has made for a model.
  return found ?? (/^ep-\d{14}-[a-z\d]{5}$/.test(id) ? ARK_MODELS[0] : undefined);
}

function model(
  id: string,
  thinkingTypes: readonly ThinkingType[],
  extra: Partial<ArkModel> = {},
): ArkModel {
  const efforts = extra.knownEfforts ?? [];
  return {
    id,
    snapshot: id,
    owner: "system",
    contextTokens: 262_144,
    thinks: thinkingTypes.length === 0 ? "never" : "visibly",
    efforts,
    usualEffort: "medium",
    isStrict: false,
    speaks: false,
    namesPhases: false,
    thinkingTypes,
    knownEfforts: efforts,
    maxOutputTokens: 32_768,
    ...extra,
  };
}

const FOUR_EFFORTS: readonly ReasoningEffort[] = ["minimal", "low", "medium", "high"];
const ALL_EFFORTS: readonly ReasoningEffort[] = ["none", ...FOUR_EFFORTS, "xhigh", "max"];

export const ARK_MODELS: readonly ArkModel[] = [
  model("doubao-seed-1-6-250615", ["enabled", "disabled", "auto"]),
  model("doubao-seed-1-6-251015", ["enabled", "disabled", "auto"], {
    knownEfforts: FOUR_EFFORTS,
    maxOutputTokens: 65_536,
  }),
  model("doubao-seed-1-6-flash-250828", ["enabled", "disabled"]),
  model("doubao-seed-1-6-thinking-250715", ["enabled", "auto"]),
  model("doubao-seed-1-8-251228", ["enabled", "disabled", "auto"], {
    knownEfforts: FOUR_EFFORTS,
    maxOutputTokens: 65_536,
  }),
  model("doubao-seed-2-0-pro-260215", ["enabled", "disabled"], {
    knownEfforts: ALL_EFFORTS,
    maxOutputTokens: 131_072,
  }),
  ...["pro-260915", "pro-260628", "turbo-260628", "lite-260915"].map((name) =>
    model(`doubao-seed-2-1-${name}`, ["enabled", "disabled", "auto"], {
      contextTokens: name.endsWith("0915") ? 1_024_000 : 256_000,
      knownEfforts: ALL_EFFORTS,
      maxOutputTokens: 256_000,
    }),
  ),
  model("doubao-seed-character-260628", ["disabled", "enabled"], { knownEfforts: ALL_EFFORTS }),
  model("doubao-1-5-thinking-pro-250415", ["enabled"], {
    contextTokens: 131_072,
    maxOutputTokens: 16_384,
  }),
  model("doubao-1-5-pro-32k-250115", [], { contextTokens: 131_072, maxOutputTokens: 12_288 }),
  model("deepseek-v3-1-250821", ["disabled", "enabled"], { contextTokens: 131_072 }),
];
