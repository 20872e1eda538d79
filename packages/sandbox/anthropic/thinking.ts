import type { ReasoningEffort } from "../engine/conversation.ts";
import type { JsonObject } from "../json.ts";
import { invalid } from "./error.ts";
import {
  field,
  readChoice,
  readInteger,
  readObject,
  readTagged,
  refuseExtras,
  required,
  type FieldValue,
} from "./fields.ts";
import type { Betas } from "./request-headers.ts";

/** The client's thinking options, if any. */
export interface Thinking {
  readonly mode: "unsaid" | "disabled" | "enabled" | "adaptive" | "between_tools";
  readonly budgetTokens: number | undefined;
  readonly display: "summarized" | "omitted" | "updates" | undefined;
  /** The treatment of reasoning that was made at another place in the conversation. */
  readonly onMismatch: "error" | "drop_block" | undefined;
}

export function readThinking(
  body: JsonObject,
  maxTokens: number | undefined,
  betas: Betas,
): Thinking {
  const at = field(body, "thinking");
  if (at.value === undefined)
    return { mode: "unsaid", budgetTokens: undefined, display: undefined, onMismatch: undefined };
  const { object, tag, path } = readTagged(at, [
    "adaptive",
    "between_tools",
    "disabled",
    "enabled",
  ]);
  const controls = betas.has("thinking-binding-controls-2026-08-01") ? ["block_binding"] : [];
  refuseExtras(object, [...FIELDS[tag], ...controls], path);
  const display = readChoice(field(object, "display", path), [
    "summarized",
    "omitted",
    ...(betas.has("thinking-display-updates-2026-08-18") ? (["updates"] as const) : []),
  ]);
  const onMismatch = readBinding(field(object, "block_binding", path));
  if (tag !== "enabled") return { mode: tag, budgetTokens: undefined, display, onMismatch };

  const budgetTokens = required(field(object, "budget_tokens", path), (each) =>
    readInteger(each, MIN_BUDGET),
  );
  // Between the calls of tools a model may think more than one answer holds.
  const isBounded = maxTokens !== undefined && !betas.has(INTERLEAVED);
  if (isBounded && budgetTokens >= maxTokens)
    throw invalid("", "`max_tokens` must be greater than `thinking.budget_tokens`.");
  return { mode: "enabled", budgetTokens, display, onMismatch };
}

function readBinding(at: FieldValue): Thinking["onMismatch"] {
  const binding = readObject(at);
  if (binding === undefined) return undefined;
  refuseExtras(binding, ["prefix_mismatch_behavior"], at.path);
  return readChoice(field(binding, "prefix_mismatch_behavior", at.path), ["error", "drop_block"]);
}

const FIELDS = {
  adaptive: ["type", "display"],
  between_tools: ["type", "display"],
  disabled: ["type"],
  enabled: ["type", "budget_tokens", "display"],
} as const;

export const INTERLEAVED = "interleaved-thinking-2025-05-14";

const MIN_BUDGET = 1_024;

/** How long the simulated model thinks for a budget. */
export function effortOfBudget(budgetTokens: number): ReasoningEffort {
  if (budgetTokens < 2_048) return "low";
  return budgetTokens < 8_192 ? "medium" : "high";
}
