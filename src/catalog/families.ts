import type { Counting } from "#core/counting.ts";

/**
 * Token counting parameters by model name: hosts sell the same model under many
 * ids, and new models count like their predecessors until they are measured.
 * Fitted to recorded usage (docs/counting.md). Undefined for an unknown family.
 */
export function findCounting(modelId: string): Partial<Counting> | undefined {
  const id = modelId.toLowerCase();
  return FAMILIES.find(({ named }) => named.test(id))?.counting;
}

interface Family {
  readonly named: RegExp;
  readonly counting: Partial<Counting>;
}

const CLAUDE: Partial<Counting> = {
  textFactor: 1.145,
  perRequest: 7,
  perMessage: 4,
  perSystem: 0,
  perToolBlock: 30,
  toolPrompt: 494,
  forcedTool: 99,
  thinking: 30,
  formatPrompt: 160,
  formatFactor: 1,
};

const GPT: Partial<Counting> = {
  perRequest: 6,
  perMessage: 5,
  perSystem: 4,
  perToolBlock: 6,
  toolText: "types",
  toolPrompt: 14,
  forcedTool: 5,
  formatFactor: 0.9,
};

const GEMINI: Partial<Counting> = {
  textFactor: 1.04,
  perRequest: 1,
  perMessage: 0,
  perSystem: 0,
  perToolBlock: 1,
  toolPrompt: 0,
  // Its tool definitions lack the wrapper that the chat style adds.
  perTool: -10,
  toolFactor: 0.95,
};

const DEEPSEEK: Partial<Counting> = {
  textFactor: 1.06,
  perRequest: 4,
  perMessage: 1,
  perSystem: 0,
  perToolBlock: 16,
  toolPrompt: 217,
  toolFactor: 0.95,
  reasoningFactor: 1,
};

const MISTRAL: Partial<Counting> = {
  perRequest: 3,
  perMessage: 3,
  perSystem: 2,
  perToolBlock: 1,
  toolPrompt: 2,
  toolFactor: 1.04,
};

/** The first match applies. */
const FAMILIES: readonly Family[] = [
  {
    named: /claude-3[-.]5|claude-3-(opus|sonnet|haiku)/,
    counting: { ...CLAUDE, toolPrompt: 264 },
  },
  {
    named: /claude-(3[-.]7|(sonnet|opus)-4([-@]?$|[-@]20|-0)|opus-4[-.]1)/,
    counting: { ...CLAUDE, toolPrompt: 309, forcedTool: 5 },
  },
  { named: /claude/, counting: CLAUDE },
  {
    named: /gpt-oss/,
    counting: {
      ...GPT,
      perRequest: 69,
      perMessage: 1,
      perSystem: 7,
      perToolBlock: 18,
      toolPrompt: 26,
      forcedTool: 0,
      formatFactor: 0,
      reasoningFactor: 0.4,
    },
  },
  {
    named: /gpt-[34]|chatgpt/,
    counting: { ...GPT, perRequest: 7, perMessage: 4, perToolBlock: 4, toolPrompt: 13 },
  },
  { named: /gpt-\d|codex|(^|\/)o\d/, counting: GPT },
  {
    named: /gemini-(1|2\.0)/,
    counting: {
      ...GEMINI,
      textFactor: 1.02,
      perRequest: 0,
      toolText: "words",
      toolFactor: 1.3,
      perTool: 0,
    },
  },
  { named: /gemini-2/, counting: { ...GEMINI, perToolBlock: 10, perSealChar: 0.07 } },
  { named: /gemini/, counting: { ...GEMINI, perSealChar: 0.17 } },
  { named: /deepseek.*v4/, counting: { ...DEEPSEEK, thinking: 79 } },
  {
    named: /deepseek.*(v3($|[-:]|\.1)|r1)/,
    counting: { ...DEEPSEEK, toolPrompt: 94 },
  },
  { named: /deepseek/, counting: DEEPSEEK },
  {
    named: /glm/,
    counting: {
      perRequest: 5,
      perMessage: 2,
      perSystem: 2,
      perToolBlock: 3,
      toolPrompt: 95,
      toolFactor: 0.94,
      reasoningFactor: 1,
    },
  },
  {
    named: /grok-([4-9]|build)/,
    counting: {
      perRequest: 192,
      perMessage: 4,
      perSystem: 2,
      perToolBlock: 2,
      toolPrompt: 0,
      toolFactor: 0.9,
      formatFactor: 1.55,
      perSealChar: 0.17,
    },
  },
  {
    named: /qwen|qwq|qvq/,
    counting: {
      perRequest: 8,
      perMessage: 6,
      perSystem: 5,
      perToolBlock: 7,
      toolPrompt: 80,
      toolFactor: 1.03,
    },
  },
  {
    named: /llama-3/,
    counting: {
      perRequest: 35,
      perMessage: 7,
      perSystem: 0,
      perToolBlock: 0,
      toolPrompt: 128,
      toolFactor: 0.89,
      forcedTool: 13,
    },
  },
  {
    named: /kimi/,
    counting: { perRequest: 9, perMessage: 4, perSystem: 2, perToolBlock: 10, toolPrompt: 7 },
  },
  {
    named: /mistral-small-(26|latest)|magistral/,
    counting: {
      ...MISTRAL,
      perRequest: 15,
      perMessage: 5,
      perSystem: 4,
      toolPrompt: 0,
      toolFactor: 1.07,
      reasoningFactor: 0.5,
    },
  },
  { named: /mistral|ministral|mixtral|codestral|devstral|pixtral/, counting: MISTRAL },
];
