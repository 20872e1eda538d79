import type { ReasoningEffort } from "../engine/conversation.ts";
import { countTokens } from "../engine/tokens.ts";
import { jsonText, type JsonObject } from "../json.ts";
import { invalid } from "./error.ts";
import { field, inside } from "./fields.ts";
import type { Turn } from "./messages.ts";
import type { PromptRequest } from "./request.ts";
import { effortOfBudget, INTERLEAVED } from "./thinking.ts";

/** Rules of thinking for other fields, and for reasoning that comes back. */
export function checkThinking(body: JsonObject, prompt: PromptRequest): void {
  const { thinking, model, turns, choice } = prompt;
  const { mode } = thinking;
  const isForced = choice.mode === "required" || choice.mode === "named";
  if (mode === "disabled") checkDisabled(prompt);
  if (isForced && !model.takesForcedTools)
    throw invalid("", "`tool_choice` that forces tool use is not supported for this model.");
  if (mode === "unsaid" || mode === "disabled") return;

  if (!model.thinking.some((each) => each === mode)) {
    if (mode === "enabled" && model.thinking.length > 0) {
      throw invalid(
        "",
        '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
      );
    }
    if (mode === "between_tools")
      throw invalid("", '"thinking.type.between_tools" is not supported for this model.');
    const what = mode === "adaptive" ? "adaptive thinking" : "thinking";
    throw invalid("", `${what} is not supported on this model`);
  }
  if (mode === "between_tools") checkEffortBetween(prompt);
  checkSampling(body);
  if (isForced) throw invalid("", "Thinking may not be enabled when tool_choice forces tool use.");
  if (mode === "enabled") checkTurnStart(turns);
}

/** https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking */
function checkDisabled({ model, output }: PromptRequest): void {
  if (model.disables === "never") {
    throw invalid(
      "",
      model.bindsPrefix
        ? '"thinking.type.disabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.'
        : '"thinking.type.disabled" is not supported for this model. Thinking defaults to adaptive mode when not specified.',
    );
  }
  const isMuch = output.effort === "xhigh" || output.effort === "max";
  if (model.disables === "up to high" && isMuch) {
    throw invalid(
      "",
      `"thinking.type.disabled" is not supported with an effort of ${output.effort} for this model.`,
    );
  }
}

function checkEffortBetween({ output: { effort } }: PromptRequest): void {
  if (effort !== "xhigh" && effort !== "max") return;
  throw invalid(
    "",
    `"thinking.type.between_tools" is not supported with an effort of ${effort} for this model.`,
  );
}

function checkSampling(body: JsonObject): void {
  const value = (name: string) => field(body, name).value;
  if (value("temperature") !== undefined && value("temperature") !== 1) {
    throw invalid(
      "",
      "`temperature` may only be set to 1 when thinking is enabled or in adaptive mode.",
    );
  }
  if (value("top_k") !== undefined)
    throw invalid("", "`top_k` must be unset when thinking is enabled or in adaptive mode.");
  const topP = value("top_p");
  if (topP !== undefined && Number(topP) < 0.95) {
    throw invalid(
      "",
      "`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled or in adaptive mode.",
    );
  }
}

/** The answer that tools have interrupted began with a thought, and must come back with it. */
function checkTurnStart(turns: readonly Turn[]): void {
  const answer = turns[openAnswer(turns)];
  const first = answer?.blocks[0];
  if (answer === undefined || first === undefined) return;
  if (first.kind === "thinking" || first.kind === "redacted_thinking") return;
  throw invalid(
    inside(first.path, "type"),
    `Expected \`thinking\` or \`redacted_thinking\`, but found \`${jsonText(first.raw["type"])}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). To avoid this requirement, disable \`thinking\`.`,
  );
}

/** Where the answer begins that is still being given: calls and their results belong to it. */
export function openAnswer(turns: readonly Turn[]): number {
  const asked = turns.findLastIndex(
    ({ role, blocks }) => role === "user" && !blocks.some((block) => block.kind === "result"),
  );
  return asked + 1;
}

/** How much the model thinks before this answer. */
export function reasoningEffort(prompt: PromptRequest): ReasoningEffort {
  const { thinking, model, output, turns, betas } = prompt;
  const last = turns.at(-1);
  if (last?.role === "assistant") return "none";
  switch (thinking.mode) {
    case "disabled":
      return "none";
    case "enabled": {
      const isAfterTools = last?.blocks.some((block) => block.kind === "result") ?? false;
      if (isAfterTools && !betas.has(INTERLEAVED)) return "none";
      return effortOfBudget(thinking.budgetTokens ?? 0);
    }
    case "between_tools": {
      // There is no thought before the first call of an answer.
      const isAfterTools = last?.blocks.some((block) => block.kind === "result") ?? false;
      return isAfterTools ? (output.effort ?? model.defaultEffort) : "none";
    }
    case "adaptive":
      return output.effort ?? model.defaultEffort;
    case "unsaid":
      return model.isThinkerByNature && !isSimple(last) ? (output.effort ?? "low") : "none";
  }
}

/** A model that may choose does not think about small things. */
function isSimple(turn: Turn | undefined): boolean {
  const texts = (turn?.blocks ?? []).map((block) => (block.kind === "text" ? block.text : ""));
  return countTokens(texts.join("\n")) < SIMPLE_TOKENS;
}

const SIMPLE_TOKENS = 20;

/** Whether the thoughts are shown, or only their signature. */
export function areThoughtsShown({ thinking, model }: PromptRequest): boolean {
  return (
    (thinking.display ?? (model.thinking.includes("enabled") ? "summarized" : "omitted")) ===
    "summarized"
  );
}
