import type { ReasoningEffort } from "../engine/conversation.ts";

/** A simulated model: its abilities, and the fields that it rejects. */
export interface Model {
  /** The dated name that answers carry. */
  readonly id: string;
  readonly aliases: readonly string[];
  readonly name: string;
  readonly createdOn: string;
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  readonly line: "haiku" | "sonnet" | "opus" | "fable" | "mythos";
  /** When it ends to be served, if the vendor has said so. */
  readonly retiresOn?: string;
  /** Which values of `thinking.type` it takes, besides "disabled". */
  readonly thinking: readonly ("enabled" | "adaptive" | "between_tools")[];
  /** Thinks when nothing was said about thinking, and keeps its thoughts to itself unless asked. */
  readonly isThinkerByNature: boolean;
  /** Whether thinking can be disabled, and up to which effort. */
  readonly disables: "never" | "up to high" | "always";
  readonly efforts: readonly ReasoningEffort[];
  /** How much it thinks if the request names no effort. */
  readonly defaultEffort: ReasoningEffort;
  readonly takesForcedTools: boolean;
  /** Thoughts that come back are checked against everything that stood before them. */
  readonly bindsPrefix: boolean;
  /** Thoughts are good only in the account that made them. */
  readonly bindsAccount: boolean;
  /** Takes messages of the role "system" amid a conversation. */
  readonly hasSystemMessages: boolean;
  /** Types of tools that it refuses although others take them. */
  readonly refusedTools: readonly string[];
  readonly hasStructuredOutput: boolean;
  readonly hasCodeExecution: boolean;
  /** `one` takes temperature or top_p, `none` neither of them. */
  readonly sampling: "free" | "one" | "none";
  readonly hasPrefill: boolean;
  /** Refuses a `max_tokens` that does not fit; later models stop where the context ends. */
  readonly isContextRefused: boolean;
  readonly minCacheTokens: number;
  /** With the beta `context-1m-2025-08-07`. */
  readonly longContextTokens: number;
}

export function findModel(id: string): Model | undefined {
  return MODELS.find((model) => model.id === id || model.aliases.includes(id));
}

const LOW_TO_HIGH: readonly ReasoningEffort[] = ["low", "medium", "high"];

/** Of the third generation, without thoughts. */
const DEFAULTS = {
  aliases: [],
  contextTokens: 200_000,
  maxOutputTokens: 4_096,
  thinking: [],
  isThinkerByNature: false,
  disables: "always",
  efforts: [],
  defaultEffort: "high",
  takesForcedTools: true,
  bindsPrefix: false,
  bindsAccount: false,
  hasSystemMessages: false,
  refusedTools: [],
  hasStructuredOutput: false,
  hasCodeExecution: false,
  sampling: "free",
  hasPrefill: true,
  isContextRefused: true,
  minCacheTokens: 1_024,
  longContextTokens: 200_000,
} as const satisfies Partial<Model>;

const FOUR = {
  ...DEFAULTS,
  maxOutputTokens: 64_000,
  thinking: ["enabled"],
} as const satisfies Partial<Model>;

const FOUR_FIVE = {
  ...FOUR,
  hasStructuredOutput: true,
  hasCodeExecution: true,
  sampling: "one",
  isContextRefused: false,
} as const satisfies Partial<Model>;

const FOUR_SIX = {
  ...FOUR_FIVE,
  contextTokens: 1_000_000,
  longContextTokens: 1_000_000,
  maxOutputTokens: 128_000,
  thinking: ["enabled", "adaptive"],
  efforts: [...LOW_TO_HIGH, "max"],
  hasPrefill: false,
} as const satisfies Partial<Model>;

const FOUR_SEVEN = {
  ...FOUR_SIX,
  thinking: ["adaptive"],
  efforts: [...LOW_TO_HIGH, "xhigh", "max"],
  sampling: "none",
} as const satisfies Partial<Model>;

const FOUR_EIGHT = { ...FOUR_SEVEN, hasSystemMessages: true } as const satisfies Partial<Model>;

const FIVE = {
  ...FOUR_EIGHT,
  isThinkerByNature: true,
  minCacheTokens: 512,
} as const satisfies Partial<Model>;

/**
 * The reference leaves open whether all of these check the prefix of thoughts
 * for every account. A simulator has to assume the strictest.
 */
const FIVE_ONE = {
  ...FIVE,
  disables: "never",
  takesForcedTools: false,
  bindsPrefix: true,
} as const satisfies Partial<Model>;

/** The newest first, as they are listed. */
export const MODELS: readonly Model[] = [
  {
    ...FIVE_ONE,
    line: "fable",
    id: "claude-fable-5-2",
    name: "Claude Fable 5.2",
    createdOn: "2026-11-09",
  },
  {
    ...FIVE_ONE,
    line: "mythos",
    id: "claude-mythos-5-2",
    name: "Claude Mythos 5.2",
    createdOn: "2026-11-09",
  },
  {
    ...FIVE_ONE,
    line: "haiku",
    id: "claude-haiku-5-5",
    name: "Claude Haiku 5.5",
    createdOn: "2026-10-20",
    disables: "up to high",
    takesForcedTools: true,
    bindsAccount: true,
  },
  {
    ...FIVE_ONE,
    line: "opus",
    id: "claude-opus-5-5",
    name: "Claude Opus 5.5",
    createdOn: "2026-10-05",
    defaultEffort: "medium",
    refusedTools: ["computer_20251124"],
  },
  {
    ...FIVE_ONE,
    line: "sonnet",
    id: "claude-sonnet-5-5",
    name: "Claude Sonnet 5.5",
    createdOn: "2026-09-28",
    thinking: ["adaptive", "between_tools"],
    refusedTools: ["computer_20251124"],
  },
  {
    ...FIVE_ONE,
    line: "fable",
    id: "claude-fable-5-1",
    name: "Claude Fable 5.1",
    createdOn: "2026-09-01",
  },
  {
    ...FIVE_ONE,
    line: "mythos",
    id: "claude-mythos-5-1",
    name: "Claude Mythos 5.1",
    createdOn: "2026-09-01",
  },
  {
    ...FIVE,
    line: "opus",
    id: "claude-opus-5",
    name: "Claude Opus 5",
    createdOn: "2026-07-24",
    disables: "up to high",
  },
  {
    ...FIVE,
    line: "sonnet",
    id: "claude-sonnet-5",
    name: "Claude Sonnet 5",
    createdOn: "2026-06-29",
  },
  {
    ...FIVE,
    line: "fable",
    id: "claude-fable-5",
    name: "Claude Fable 5",
    createdOn: "2026-06-07",
    disables: "never",
  },
  {
    ...FOUR_EIGHT,
    line: "opus",
    id: "claude-opus-4-8",
    name: "Claude Opus 4.8",
    createdOn: "2026-05-28",
  },
  {
    ...FOUR_SEVEN,
    line: "opus",
    id: "claude-opus-4-7",
    name: "Claude Opus 4.7",
    createdOn: "2026-04-14",
  },
  {
    ...FOUR_SIX,
    line: "sonnet",
    id: "claude-sonnet-4-6",
    name: "Claude Sonnet 4.6",
    createdOn: "2026-02-17",
  },
  {
    ...FOUR_SIX,
    line: "opus",
    id: "claude-opus-4-6",
    name: "Claude Opus 4.6",
    createdOn: "2026-02-04",
  },
  {
    ...FOUR_FIVE,
    line: "opus",
    id: "claude-opus-4-5-20251101",
    aliases: ["claude-opus-4-5"],
    name: "Claude Opus 4.5",
    createdOn: "2025-11-24",
    efforts: LOW_TO_HIGH,
    minCacheTokens: 4_096,
  },
  {
    ...FOUR_FIVE,
    line: "haiku",
    id: "claude-haiku-4-5-20251001",
    aliases: ["claude-haiku-4-5"],
    name: "Claude Haiku 4.5",
    createdOn: "2025-10-15",
    hasCodeExecution: false,
    minCacheTokens: 4_096,
  },
  {
    ...FOUR_FIVE,
    line: "sonnet",
    id: "claude-sonnet-4-5-20250929",
    aliases: ["claude-sonnet-4-5"],
    name: "Claude Sonnet 4.5",
    longContextTokens: 1_000_000,
    createdOn: "2025-09-29",
    retiresOn: "2026-11-30",
  },
  {
    ...FOUR,
    line: "opus",
    id: "claude-opus-4-1-20250805",
    aliases: ["claude-opus-4-1"],
    name: "Claude Opus 4.1",
    createdOn: "2025-08-05",
    maxOutputTokens: 32_000,
    hasStructuredOutput: true,
    sampling: "one",
  },
  {
    ...FOUR,
    line: "opus",
    id: "claude-opus-4-20250514",
    aliases: ["claude-opus-4-0"],
    name: "Claude Opus 4",
    createdOn: "2025-05-22",
    maxOutputTokens: 32_000,
  },
  {
    ...FOUR,
    line: "sonnet",
    id: "claude-sonnet-4-20250514",
    aliases: ["claude-sonnet-4-0"],
    name: "Claude Sonnet 4",
    longContextTokens: 1_000_000,
    createdOn: "2025-05-22",
  },
  {
    ...FOUR,
    line: "sonnet",
    id: "claude-3-7-sonnet-20250219",
    aliases: ["claude-3-7-sonnet-latest"],
    name: "Claude Sonnet 3.7",
    createdOn: "2025-02-24",
  },
  {
    ...DEFAULTS,
    line: "haiku",
    id: "claude-3-5-haiku-20241022",
    aliases: ["claude-3-5-haiku-latest"],
    name: "Claude Haiku 3.5",
    createdOn: "2024-10-22",
    maxOutputTokens: 8_192,
    minCacheTokens: 2_048,
  },
  {
    ...DEFAULTS,
    line: "sonnet",
    id: "claude-3-5-sonnet-20241022",
    aliases: ["claude-3-5-sonnet-latest"],
    name: "Claude Sonnet 3.5 (New)",
    createdOn: "2024-10-22",
    maxOutputTokens: 8_192,
  },
  {
    ...DEFAULTS,
    line: "sonnet",
    id: "claude-3-5-sonnet-20240620",
    name: "Claude Sonnet 3.5 (Old)",
    createdOn: "2024-06-20",
    maxOutputTokens: 8_192,
  },
  {
    ...DEFAULTS,
    line: "haiku",
    id: "claude-3-haiku-20240307",
    name: "Claude Haiku 3",
    createdOn: "2024-03-07",
    minCacheTokens: 2_048,
  },
  {
    ...DEFAULTS,
    line: "opus",
    id: "claude-3-opus-20240229",
    aliases: ["claude-3-opus-latest"],
    name: "Claude Opus 3",
    createdOn: "2024-02-29",
  },
];
