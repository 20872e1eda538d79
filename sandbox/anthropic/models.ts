import type { ReasoningEffort } from "#sandbox/engine/conversation.ts";

/** A simulated model: what it can do, and what it rejects. */
export interface Model {
  /** The dated name that answers carry. */
  readonly id: string;
  readonly aliases: readonly string[];
  readonly name: string;
  readonly createdOn: string;
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  /** Which values of `thinking.type` it takes, besides "disabled". */
  readonly thinking: readonly ("enabled" | "adaptive")[];
  /** Thinks when nothing was said about thinking, and keeps its thoughts to itself unless asked. */
  readonly isThinkerByNature: boolean;
  /** Whether thinking can be disabled, and up to which effort. */
  readonly disables: "never" | "up to high" | "always";
  readonly efforts: readonly ReasoningEffort[];
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
const PLAIN = {
  aliases: [],
  contextTokens: 200_000,
  maxOutputTokens: 4_096,
  thinking: [],
  isThinkerByNature: false,
  disables: "always",
  efforts: [],
  hasStructuredOutput: false,
  hasCodeExecution: false,
  sampling: "free",
  hasPrefill: true,
  isContextRefused: true,
  minCacheTokens: 1_024,
  longContextTokens: 200_000,
} as const satisfies Partial<Model>;

const FOUR = {
  ...PLAIN,
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

const FIVE = { ...FOUR_SEVEN, isThinkerByNature: true } as const satisfies Partial<Model>;

/** The newest first, as they are listed. */
export const MODELS: readonly Model[] = [
  {
    ...FIVE,
    id: "claude-opus-5",
    name: "Claude Opus 5",
    createdOn: "2026-07-24",
    disables: "up to high",
  },
  { ...FIVE, id: "claude-sonnet-5", name: "Claude Sonnet 5", createdOn: "2026-06-29" },
  {
    ...FIVE,
    id: "claude-fable-5",
    name: "Claude Fable 5",
    createdOn: "2026-06-07",
    disables: "never",
  },
  { ...FOUR_SEVEN, id: "claude-opus-4-8", name: "Claude Opus 4.8", createdOn: "2026-05-28" },
  { ...FOUR_SEVEN, id: "claude-opus-4-7", name: "Claude Opus 4.7", createdOn: "2026-04-14" },
  { ...FOUR_SIX, id: "claude-sonnet-4-6", name: "Claude Sonnet 4.6", createdOn: "2026-02-17" },
  { ...FOUR_SIX, id: "claude-opus-4-6", name: "Claude Opus 4.6", createdOn: "2026-02-04" },
  {
    ...FOUR_FIVE,
    id: "claude-opus-4-5-20251101",
    aliases: ["claude-opus-4-5"],
    name: "Claude Opus 4.5",
    createdOn: "2025-11-24",
    efforts: LOW_TO_HIGH,
    minCacheTokens: 4_096,
  },
  {
    ...FOUR_FIVE,
    id: "claude-haiku-4-5-20251001",
    aliases: ["claude-haiku-4-5"],
    name: "Claude Haiku 4.5",
    createdOn: "2025-10-15",
    hasCodeExecution: false,
    minCacheTokens: 4_096,
  },
  {
    ...FOUR_FIVE,
    id: "claude-sonnet-4-5-20250929",
    aliases: ["claude-sonnet-4-5"],
    name: "Claude Sonnet 4.5",
    longContextTokens: 1_000_000,
    createdOn: "2025-09-29",
  },
  {
    ...FOUR,
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
    id: "claude-opus-4-20250514",
    aliases: ["claude-opus-4-0"],
    name: "Claude Opus 4",
    createdOn: "2025-05-22",
    maxOutputTokens: 32_000,
  },
  {
    ...FOUR,
    id: "claude-sonnet-4-20250514",
    aliases: ["claude-sonnet-4-0"],
    name: "Claude Sonnet 4",
    longContextTokens: 1_000_000,
    createdOn: "2025-05-22",
  },
  {
    ...FOUR,
    id: "claude-3-7-sonnet-20250219",
    aliases: ["claude-3-7-sonnet-latest"],
    name: "Claude Sonnet 3.7",
    createdOn: "2025-02-24",
  },
  {
    ...PLAIN,
    id: "claude-3-5-haiku-20241022",
    aliases: ["claude-3-5-haiku-latest"],
    name: "Claude Haiku 3.5",
    createdOn: "2024-10-22",
    maxOutputTokens: 8_192,
    minCacheTokens: 2_048,
  },
  {
    ...PLAIN,
    id: "claude-3-5-sonnet-20241022",
    aliases: ["claude-3-5-sonnet-latest"],
    name: "Claude Sonnet 3.5 (New)",
    createdOn: "2024-10-22",
    maxOutputTokens: 8_192,
  },
  {
    ...PLAIN,
    id: "claude-3-5-sonnet-20240620",
    name: "Claude Sonnet 3.5 (Old)",
    createdOn: "2024-06-20",
    maxOutputTokens: 8_192,
  },
  {
    ...PLAIN,
    id: "claude-3-haiku-20240307",
    name: "Claude Haiku 3",
    createdOn: "2024-03-07",
    minCacheTokens: 2_048,
  },
  {
    ...PLAIN,
    id: "claude-3-opus-20240229",
    aliases: ["claude-3-opus-latest"],
    name: "Claude Opus 3",
    createdOn: "2024-02-29",
  },
];
