import type { FamilyTraits, RequestRules } from "#core/model.ts";

/**
 * The traits that follow from a model's name: the request fields that its
 * family refuses and, for unlisted models, the features of its family. Hosts
 * sell the same model under many ids. New versions inherit the rules of the
 * last one until they are measured.
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

/** Since 4.1: only one of the two samplers. */
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
 * Since 5.1. It is not documented if all models check the messages before
 * thinking, and for every account; this assumes that they do.
 * https://platform.claude.com/docs/en/build-with-claude/preserved-thinking,
 * 2026-11-23.
 */
const CLAUDE_5_1: RequestRules = {
  ...CLAUDE_4_7,
  thinking: ["adaptive"],
  forcedTools: false,
  bindsThinking: true,
};
/** Before 4.1: no enforced response formats. */
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

/** Reasoning models refuse penalties and log probabilities. */
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
/** Samplers are deprecated from 3.6 on and have no effect. */
const GEMINI_3_6: RequestRules = {
  ...GEMINI_THINKS,
  refuses: [...(GEMINI_THINKS.refuses ?? []), "temperature", "top_p", "top_k"],
};
/** Only one report says that results need their call's id from 3.8 on; sending it is harmless. */
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

/** Chat completions of these models accept tools only at effort `none`, and never search. */
const GPT_5_4: RequestRules = {
  needsStyle: { tools: "responses", web_search: "responses" },
  phases: true,
};
const GPT_5_6: RequestRules = { ...GPT_5_4, cacheBreakpoints: true };
/** Some of them accept the highest effort only in the responses style. */
const GPT_6: RequestRules = {
  ...GPT_5_6,
  needsStyle: { ...GPT_5_6.needsStyle, effort_max: "responses" },
};
/** Not available as chat completions. */
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
  // Some support `none`, but their names do not show it.
  reasoningControls: { efforts: [...GPT_EFFORTS, "max"] },
  rules: GPT_6,
};
const O_SERIES: FamilyTraits = { ...GPT, contextTokens: 200_000, maxOutputTokens: 100_000 };

// https://www.alibabacloud.com/help/en/model-studio/deep-thinking, 2026-11-23.
const QWEN: FamilyTraits = { ...TEXT_ONLY, tools: true };

/** https://www.alibabacloud.com/help/en/model-studio/deep-thinking; the efforts as measured by apiyi.com, 2026-11-23. */
const QWEN_3_8: FamilyTraits = {
  kind: "chat",
  input: ["text", "image", "video"],
  output: ["text"],
  tools: true,
  contextTokens: 991_808,
  maxOutputTokens: 131_072,
  reasoningControls: {
    toggle: true,
    efforts: ["none", "minimal", "low", "medium", "high", "xhigh", "max"],
    budget: { minTokens: 1, maxTokens: 262_144 },
  },
};

// https://api-docs.deepseek.com/quick_start/pricing, 2026-11-23.
const DEEPSEEK: FamilyTraits = {
  ...TEXT_ONLY,
  tools: true,
  contextTokens: 1_000_000,
  maxOutputTokens: 393_216,
  reasoningControls: {
    toggle: true,
    efforts: ["high", "max"],
    effortAliases: { xhigh: "max" },
  },
};

// https://platform.kimi.ai/docs, 2026-11-23. The rules of later models are not measured yet.
const KIMI_FIXED: RequestRules = {
  refuses: ["temperature", "top_p", "n", "presence_penalty", "frequency_penalty"],
};
const THREE_STEPS = {
  efforts: ["low", "high", "max"],
  effortAliases: { medium: "high", xhigh: "max" },
} as const;
const KIMI_3: FamilyTraits = {
  kind: "chat",
  input: ["text", "image", "video"],
  output: ["text"],
  tools: true,
  contextTokens: 1_048_576,
  maxOutputTokens: 1_048_576,
  reasoningControls: THREE_STEPS,
  rules: { ...KIMI_FIXED, thinking: [] },
};

// https://docs.z.ai/guides/overview/pricing, 2026-11-23.
const GLM_5_3: FamilyTraits = {
  ...TEXT_ONLY,
  tools: true,
  contextTokens: 1_048_576,
  maxOutputTokens: 131_072,
  reasoningControls: THREE_STEPS,
  rules: { thinking: ["enabled"] },
};

// https://platform.minimax.io/docs/api-reference/text-anthropic-api, 2026-11-23.
const MINIMAX_2: FamilyTraits = {
  ...TEXT_ONLY,
  tools: true,
  contextTokens: 204_800,
  maxOutputTokens: 131_072,
  reasoningControls: {},
  rules: { thinking: ["adaptive"] },
};
const MINIMAX_3: FamilyTraits = {
  ...MINIMAX_2,
  input: ["text", "image", "video"],
  contextTokens: 1_000_000,
  maxOutputTokens: 128_000,
  reasoningControls: { toggle: true },
  rules: { thinking: ["adaptive", "disabled"] },
};

/**
 * dev.to/aihubmix, 2026-10-19: refuses `disabled` with the message "requires
 * adaptive thinking".
 */
const MINIMAX_3_1: FamilyTraits = {
  ...MINIMAX_3,
  reasoningControls: THREE_STEPS,
  rules: { thinking: ["adaptive"] },
};

// https://www.volcengine.com/docs/82379/1330310, 2026-11-23.
const DOUBAO: FamilyTraits = {
  kind: "chat",
  input: ["text", "image", "video"],
  output: ["text"],
  tools: true,
};
const EVERY_EFFORT = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

/** The first match applies. */
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

  // Models for images, speech, transcription or embeddings are of other kinds.
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
    // The vendor serves 3.5 with 3.6.
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

  // Models for images, audio or embeddings, models without reasoning, and open weights.
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
  // Also future models: with the rules of the newest known one.
  { named: /(^|[/.:])(gpt-|o[2-9](-|$)|codex-)/, traits: GPT_NOW },

  { named: /^qwen(3\.[89]|[4-9])/, traits: QWEN_3_8 },
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
    named: /^doubao-seed-(2-[1-9]|[3-9])/,
    traits: {
      ...DOUBAO,
      maxOutputTokens: 256_000,
      reasoningControls: { toggle: true, efforts: EVERY_EFFORT },
    },
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
  { named: /^deepseek-(flash|pro|v[4-9](?!\d))/, traits: DEEPSEEK },

  { named: /^kimi-k([3-9]|\d\d)/, traits: KIMI_3 },
  // Its samplers are fixed as well.
  { named: /^kimi-k2\.[5-9]/, traits: { rules: KIMI_FIXED } },

  { named: /^glm-(5\.[3-9]|[6-9])/, traits: GLM_5_3 },

  { named: /^minimax-m(3\.|[4-9]|\d\d)/, traits: MINIMAX_3_1 },
  { named: /^minimax-m3/, traits: MINIMAX_3 },
  { named: /^minimax-m\d/, traits: MINIMAX_2 },
];
