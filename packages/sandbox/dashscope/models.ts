import { EVERY_EFFORT, type Model } from "../openai/models.ts";

/** A Qwen model. Abilities come from the vendor's model list and from error reports of users. */
export interface QwenModel extends Model {
  /** Thinks when told, always, or never. */
  readonly thinking: "hybrid" | "always" | "never";
  /** A hybrid one: where nothing is said. */
  readonly thinksByDefault: boolean;
  /** Can think for an answer in one piece, as recorded of qwen3-max, and most hybrid ones cannot. */
  readonly thinksInOnePiece: boolean;
  /** Answers no request that is not for a stream. */
  readonly isStreamOnly: boolean;
  /** Takes an effort, which must not contradict the switch. */
  readonly isGraded: boolean;
  readonly maxOutputTokens: number;
  readonly maxThinkingTokens: number;
  /** Writes down recordings, and nothing else. */
  readonly transcribes: boolean;
}

export function findQwen(id: string): QwenModel | undefined {
  return QWEN_MODELS.find((model) => model.id === id);
}

function model(id: string, extra: Partial<QwenModel> = {}): QwenModel {
  const thinking = extra.thinking ?? "never";
  return {
    id,
    snapshot: id,
    owner: "system",
    contextTokens: 131_072,
    thinks: thinking === "never" ? "never" : "visibly",
    efforts: EVERY_EFFORT,
    usualEffort: "medium",
    isStrict: false,
    speaks: false,
    namesPhases: false,
    thinking,
    thinksByDefault: false,
    thinksInOnePiece: false,
    isStreamOnly: false,
    isGraded: false,
    maxOutputTokens: 16_384,
    maxThinkingTokens: 38_912,
    transcribes: false,
    ...extra,
  };
}

/** The open models of the third generation think unless told not to. */
function open(id: string): QwenModel {
  return model(id, { thinking: "hybrid", thinksByDefault: true });
}

/** Since 3.8. */
function graded(id: string): QwenModel {
  return model(id, {
    thinking: "hybrid",
    thinksByDefault: true,
    thinksInOnePiece: true,
    isGraded: true,
    contextTokens: 991_808,
    maxOutputTokens: 131_072,
    maxThinkingTokens: 262_144,
    usualEffort: "xhigh",
  });
}

const HYBRID = { thinking: "hybrid" } as const;
const STREAM_ONLY = { thinking: "always", isStreamOnly: true, maxOutputTokens: 8_192 } as const;

export const QWEN_MODELS: readonly QwenModel[] = [
  model("qwen-max", { contextTokens: 32_768, maxOutputTokens: 8_192 }),
  model("qwen-plus", { ...HYBRID, maxOutputTokens: 32_768, maxThinkingTokens: 81_920 }),
  model("qwen-turbo", HYBRID),
  model("qwen-flash", { ...HYBRID, maxOutputTokens: 32_768, maxThinkingTokens: 81_920 }),
  model("qwen3-max", {
    ...HYBRID,
    contextTokens: 262_144,
    thinksInOnePiece: true,
    maxOutputTokens: 65_536,
    maxThinkingTokens: 81_920,
  }),
  model("qwen3.5-plus", {
    ...HYBRID,
    thinksByDefault: true,
    maxOutputTokens: 65_536,
    maxThinkingTokens: 81_920,
  }),
  graded("qwen3.8-max"),
  graded("qwen3.8-flash"),
  graded("qwen3.8-omni-flash"),
  model("qwen3-vl-plus", { ...HYBRID, maxOutputTokens: 32_768, maxThinkingTokens: 81_920 }),
  open("qwen3-235b-a22b"),
  open("qwen3-32b"),
  open("qwen3-8b"),
  model("qwen3-235b-a22b-instruct-2507", { maxOutputTokens: 32_768 }),
  model("qwen3-235b-a22b-thinking-2507", {
    thinking: "always",
    thinksInOnePiece: true,
    maxOutputTokens: 32_768,
    maxThinkingTokens: 81_920,
  }),
  model("qwen3-coder-plus", { contextTokens: 1_000_000, maxOutputTokens: 65_536 }),
  model("qwq-plus", STREAM_ONLY),
  model("qvq-max", STREAM_ONLY),
  model("qwen3-asr-flash", { transcribes: true }),
];
