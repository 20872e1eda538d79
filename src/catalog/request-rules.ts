import type { FamilyTraits, RequestRules } from "#core/model.ts";

/**
 * What a model's name tells of it: which request members its family refuses,
 * and, for models that the catalogue does not list, what its family can do.
 * Hosts sell the same model under many ids, and new versions keep the rules of
 * the last one until somebody measures them.
 */
export function findFamily(modelId: string): FamilyTraits | undefined {
  const id = modelId.toLowerCase();
  return FAMILIES.find(({ named }) => named.test(id))?.traits;
}

interface Family {
  readonly named: RegExp;
  readonly traits: FamilyTraits;
}

const WITH_FILES = { kind: "chat", input: ["text", "image", "file"], output: ["text"] } as const;
const TEXT_ONLY = { kind: "chat", input: ["text"], output: ["text"] } as const;

// https://platform.claude.com/docs/en/about-claude/models/overview and
// .../build-with-claude/{adaptive-thinking,structured-outputs}, 2026-11-23.

/** Since 4.1: one of the two samplers. */
const CLAUDE_4_1: RequestRules = {
  oneSampler: true,
  refuses: [],
  thinking: ["enabled", "disabled"],
  maxToolNameLength: 128,
};
const CLAUDE_4_6: RequestRules = {
  ...CLAUDE_4_1,
  thinking: ["enabled", "adaptive", "disabled"],
  prefill: false,
};
const CLAUDE_4_7: RequestRules = {
  ...CLAUDE_4_6,
  refuses: ["temperature", "top_p", "top_k"],
  thinking: ["adaptive", "disabled"],
};
/**
 * Since 5.1. Whether all of them check what stands before thinking, and for
 * every account, is not documented: it is assumed.
 * https://platform.claude.com/docs/en/build-with-claude/preserved-thinking, 2026-11-23.
 */
const CLAUDE_5_1: RequestRules = {
  ...CLAUDE_4_7,
  thinking: ["adaptive"],
  forcedTools: false,
  bindsThinking: true,
};
/** Before 4.1: no answers in an enforced format. */
const CLAUDE_4: RequestRules = {
  thinking: ["enabled", "disabled"],
  formats: [],
  maxToolNameLength: 128,
};
const CLAUDE_3: RequestRules = { ...CLAUDE_4, thinking: ["disabled"] };

const FIVE_EFFORTS = ["low", "medium", "high", "xhigh", "max"];
const CLAUDE_NOW: FamilyTraits = {
  ...WITH_FILES,
  tools: true,
  contextTokens: 1_000_000,
  maxOutputTokens: 128_000,
  reasoningControls: { efforts: FIVE_EFFORTS },
};
const CLAUDE_THEN: FamilyTraits = { ...WITH_FILES, tools: true, contextTokens: 200_000 };

// https://ai.google.dev/gemini-api/docs/{thinking,structured-output,function-calling}, 2026-11-23.

/** The models that think refuse penalties and log probabilities. */
const GEMINI_THINKS: RequestRules = {
  refuses: ["presence_penalty", "frequency_penalty", "logprobs"],
  maxToolNameLength: 128,
};
const GEMINI_2_5: RequestRules = {
  ...GEMINI_THINKS,
  formatsWithTools: false,
  maxToolNameLength: 64,
};
const GEMINI_2_0: RequestRules = { formatsWithTools: false, maxToolNameLength: 64 };
/** Samplers are deprecated from 3.6 on, and without effect. */
const GEMINI_3_6: RequestRules = {
  ...GEMINI_THINKS,
  refuses: [...(GEMINI_THINKS.refuses ?? []), "temperature", "top_p", "top_k"],
};
/** That results need their call's id from 3.8 on is known from one report only: it does no harm. */
const GEMINI_3_8: RequestRules = { ...GEMINI_3_6, callIds: true };
/** https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/guides/gemini-4-argon */
const GEMINI_4: RequestRules = {
  ...GEMINI_3_8,
  refuses: [...(GEMINI_3_8.refuses ?? []), "n"],
  thinkingBudgets: false,
  prefill: false,
};
const GEMINI: FamilyTraits = {
  kind: "chat",
  input: ["text", "image", "audio", "video", "file"],
  output: ["text"],
  tools: true,
  contextTokens: 1_048_576,
  maxOutputTokens: 65_536,
};
const THREE_LEVELS = ["low", "medium", "high"];
const FOUR_LEVELS = ["minimal", ...THREE_LEVELS];

// https://developers.openai.com/api/docs/guides/latest-model and the types of
// its JavaScript library, version 7.57, 2026-11-23.

/** Chat completions of these models take tools only at effort `none`, and never search. */
const GPT_5_4: RequestRules = {
  needsStyle: { tools: "responses", web_search: "responses" },
  phases: true,
};
const GPT_5_6: RequestRules = { ...GPT_5_4, cacheBreakpoints: true };
/** Some of them take the strongest effort in responses only. */
const GPT_6: RequestRules = {
  ...GPT_5_6,
  needsStyle: { ...GPT_5_6.needsStyle, effort_max: "responses" },
};
/** Not served as chat completions at all. */
const GPT_PRO: RequestRules = { needsStyle: { any: "responses" } };

const GPT_EFFORTS = ["low", "medium", "high", "xhigh"];
const GPT: FamilyTraits = {
  ...WITH_FILES,
  tools: true,
  contextTokens: 400_000,
  maxOutputTokens: 128_000,
  reasoningControls: { efforts: THREE_LEVELS },
};
const GPT_NOW: FamilyTraits = {
  ...GPT,
  contextTokens: 1_050_000,
  // Some have `none`, and no name tells which.
  reasoningControls: { efforts: [...GPT_EFFORTS, "max"] },
  rules: GPT_6,
};
const O_SERIES: FamilyTraits = { ...GPT, contextTokens: 200_000, maxOutputTokens: 100_000 };

// https://www.alibabacloud.com/help/en/model-studio/deep-thinking, 2026-11-23.
const QWEN: FamilyTraits = { ...TEXT_ONLY, tools: true };

// https://www.volcengine.com/docs/82379/1330310, 2026-11-23.
const DOUBAO: FamilyTraits = {
  kind: "chat",
  input: ["text", "image", "video"],
  output: ["text"],
  tools: true,
};
const EVERY_EFFORT = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/** The first that a name fits. */
const FAMILIES: readonly Family[] = [
  {
    named: /claude-sonnet-5[-.][5-9](?!\d)/,
    traits: {
      ...CLAUDE_NOW,
      rules: {
        ...CLAUDE_5_1,
        thinking: ["adaptive", "between_tools"],
        maxEffortWithoutThinking: "high",
      },
    },
  },
  {
    named: /claude-haiku-5/,
    traits: {
      ...CLAUDE_NOW,
      reasoningControls: { toggle: true, efforts: FIVE_EFFORTS },
      rules: { ...CLAUDE_4_7, maxEffortWithoutThinking: "high", bindsThinking: true },
    },
  },
  {
    named: /claude-(opus|fable|mythos)-5[-.]\d(?!\d)/,
    traits: { ...CLAUDE_NOW, rules: CLAUDE_5_1 },
  },
  {
    named: /claude-(fable|mythos)-/,
    traits: { ...CLAUDE_NOW, rules: { ...CLAUDE_4_7, thinking: ["adaptive"] } },
  },
  {
    named: /claude-opus-5/,
    traits: { ...CLAUDE_NOW, rules: { ...CLAUDE_4_7, maxEffortWithoutThinking: "high" } },
  },
  {
    named: /claude-sonnet-5/,
    traits: {
      ...CLAUDE_NOW,
      reasoningControls: { toggle: true, efforts: FIVE_EFFORTS },
      rules: CLAUDE_4_7,
    },
  },
  { named: /claude-opus-4[-.][78]/, traits: { ...CLAUDE_NOW, rules: CLAUDE_4_7 } },
  {
    named: /claude-(opus|sonnet)-4[-.]6/,
    traits: {
      ...CLAUDE_NOW,
      reasoningControls: {
        efforts: ["low", "medium", "high", "max"],
        budget: { minTokens: 1_024 },
      },
      rules: CLAUDE_4_6,
    },
  },
  {
    named: /claude-opus-4[-.]5/,
    traits: {
      ...CLAUDE_THEN,
      maxOutputTokens: 64_000,
      reasoningControls: {
        toggle: true,
        efforts: ["low", "medium", "high"],
        budget: { minTokens: 1_024 },
      },
      rules: CLAUDE_4_1,
    },
  },
  {
    named: /claude-((sonnet|haiku)-4[-.]5|opus-4[-.]1)/,
    traits: {
      ...CLAUDE_THEN,
      maxOutputTokens: 32_000,
      reasoningControls: { toggle: true, budget: { minTokens: 1_024 } },
      rules: CLAUDE_4_1,
    },
  },
  {
    named: /claude-((opus|sonnet)-4|3[-.]7)/,
    traits: {
      ...CLAUDE_THEN,
      maxOutputTokens: 32_000,
      reasoningControls: { toggle: true, budget: { minTokens: 1_024 } },
      rules: CLAUDE_4,
    },
  },
  {
    named: /claude-3[-.]5/,
    traits: { ...CLAUDE_THEN, maxOutputTokens: 8_192, rules: CLAUDE_3 },
  },
  {
    named: /claude-3-(opus|sonnet|haiku)/,
    traits: { ...CLAUDE_THEN, maxOutputTokens: 4_096, rules: CLAUDE_3 },
  },

  // Those that draw, speak, listen or embed are other kinds of models.
  {
    named: /gemini-.*(image|nano-banana|tts|embedding|live|audio|transcribe|translate)/,
    traits: {},
  },
  {
    named: /gemini-(1|2\.0)/,
    traits: { ...GEMINI, maxOutputTokens: 8_192, rules: GEMINI_2_0 },
  },
  {
    named: /gemini-2\.5-pro/,
    traits: {
      ...GEMINI,
      reasoningControls: { budget: { minTokens: 128, maxTokens: 32_768 } },
      rules: GEMINI_2_5,
    },
  },
  {
    named: /gemini-2\.5-flash-lite/,
    traits: {
      ...GEMINI,
      reasoningControls: { toggle: true, budget: { minTokens: 512, maxTokens: 24_576 } },
      rules: GEMINI_2_5,
    },
  },
  {
    named: /gemini-2\.5/,
    traits: {
      ...GEMINI,
      reasoningControls: { toggle: true, budget: { minTokens: 0, maxTokens: 24_576 } },
      rules: GEMINI_2_5,
    },
  },
  {
    named: /gemini-3.*-pro/,
    traits: { ...GEMINI, reasoningControls: { efforts: THREE_LEVELS }, rules: GEMINI_THINKS },
  },
  {
    named: /gemini-(3.*-flash|flash)-lite/,
    traits: { ...GEMINI, reasoningControls: { efforts: FOUR_LEVELS }, rules: GEMINI_THINKS },
  },
  {
    named: /gemini-(3\.([7-9]|\d\d)|flash-latest)/,
    traits: { ...GEMINI, reasoningControls: { efforts: THREE_LEVELS }, rules: GEMINI_3_8 },
  },
  {
    // The vendor serves 3.5 by 3.6.
    named: /gemini-3\.[56]/,
    traits: { ...GEMINI, reasoningControls: { efforts: FOUR_LEVELS }, rules: GEMINI_3_6 },
  },
  {
    named: /gemini-3/,
    traits: { ...GEMINI, reasoningControls: { efforts: FOUR_LEVELS }, rules: GEMINI_THINKS },
  },
  {
    named: /gemini-omni/,
    traits: {
      ...GEMINI,
      output: ["text", "video"],
      reasoningControls: { efforts: THREE_LEVELS },
      rules: GEMINI_3_6,
    },
  },
  {
    named: /gemini-/,
    traits: {
      ...GEMINI,
      maxOutputTokens: 1_048_576,
      reasoningControls: { efforts: THREE_LEVELS },
      rules: GEMINI_4,
    },
  },

  // Those that draw, speak, hear or embed, those that were never reasoning models, and open weights.
  {
    named:
      /gpt-(image|audio|live|realtime|oss|j-|neo|[1-4](\D|$)|35)|chatgpt-|gpt-.*(-tts|transcribe|-search-)/,
    traits: {},
  },
  { named: /gpt-5(\.\d)?-chat/, traits: {} },
  { named: /(gpt-5|\bo[13])(\.\d)?-pro|\bo\d.*-deep-research/, traits: { ...GPT, rules: GPT_PRO } },
  { named: /gpt-5.*-codex/, traits: { ...GPT, rules: GPT_PRO } },
  {
    named: /gpt-(6-(sol|luna)|6\.1-terra)/,
    traits: { ...GPT_NOW, reasoningControls: { efforts: ["none", ...GPT_EFFORTS, "max"] } },
  },
  {
    named: /gpt-5\.6/,
    traits: {
      ...GPT_NOW,
      reasoningControls: { efforts: ["none", ...GPT_EFFORTS] },
      rules: GPT_5_6,
    },
  },
  {
    named: /gpt-5\.[45]/,
    traits: { ...GPT, reasoningControls: { efforts: ["none", ...GPT_EFFORTS] }, rules: GPT_5_4 },
  },
  { named: /gpt-5(?!\.[789]|\d)/, traits: GPT },
  { named: /(^|\/)o[134](-|$)/, traits: O_SERIES },
  // Also those that nobody knows yet: with the rules of the newest known.
  { named: /(^|[/.:])(gpt-|o[2-9](-|$)|codex-)/, traits: GPT_NOW },

  { named: /^(qwq|qvq)-/, traits: { ...QWEN, maxOutputTokens: 8_192, reasoningControls: {} } },
  {
    named: /^qwen3.*-thinking/,
    traits: { ...QWEN, maxOutputTokens: 32_768, reasoningControls: { budget: {} } },
  },
  { named: /^qwen3.*-instruct/, traits: { ...QWEN, maxOutputTokens: 32_768 } },
  {
    named: /^qwen3-\d+(\.\d+)?b/,
    traits: {
      ...QWEN,
      maxOutputTokens: 16_384,
      reasoningControls: { toggle: true, budget: { maxTokens: 38_912 } },
    },
  },

  {
    named: /^doubao-1-5-.*thinking/,
    traits: { ...DOUBAO, maxOutputTokens: 16_384, reasoningControls: {} },
  },
  { named: /^doubao-1-5-/, traits: { ...DOUBAO, maxOutputTokens: 12_288 } },
  {
    named: /^doubao-seed-1-6-.*thinking/,
    traits: { ...DOUBAO, maxOutputTokens: 32_768, reasoningControls: {} },
  },
  {
    named: /^doubao-seed-(1-6-251015|1-8)/,
    traits: {
      ...DOUBAO,
      maxOutputTokens: 65_536,
      reasoningControls: { toggle: true, efforts: FOUR_LEVELS },
    },
  },
  {
    named: /^doubao-seed-1-6/,
    traits: { ...DOUBAO, maxOutputTokens: 32_768, reasoningControls: { toggle: true } },
  },
  {
    named: /^doubao-seed-(2|character)/,
    traits: {
      ...DOUBAO,
      maxOutputTokens: 32_768,
      reasoningControls: { toggle: true, efforts: EVERY_EFFORT },
    },
  },
  {
    named: /^deepseek-v3-[1-9]-\d/,
    traits: {
      ...TEXT_ONLY,
      tools: true,
      maxOutputTokens: 32_768,
      reasoningControls: { toggle: true },
    },
  },
];
