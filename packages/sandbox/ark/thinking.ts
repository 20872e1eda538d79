import { jsonText, type JsonObject } from "../json.ts";
import type { Thinking } from "../openai/dialect.ts";
import { field, readObject } from "../openai/fields.ts";
import { invalidParameter, refused } from "./error.ts";
import type { ArkModel, ThinkingType } from "./models.ts";

export function checkThinking(body: JsonObject, model: ArkModel): void {
  const thinking = readObject(field(body, "thinking"));
  if (thinking !== undefined) checkType(thinking, model);
  const effort = field(body, "reasoning_effort").value;
  if (effort === undefined) return;
  if (model.knownEfforts.length === 0)
    throw invalidParameter("reasoning_effort", "not supported by the current model");
  if (!model.knownEfforts.some((each) => each === effort)) {
    const list = model.knownEfforts.join(", ");
    throw invalidParameter(
      "reasoning_effort",
      `expected one of ${list}, but got ${JSON.stringify(effort)} instead`,
    );
  }
  const type = typeOf(body, model);
  if (type === "disabled" && !LEAST.some((each) => each === effort))
    throw refused(
      "reasoning_effort",
      `Invalid combination of reasoning_effort and thinking type: ${jsonText(effort)} + ${type}.`,
    );
}

/** The efforts that are no thinking at all. */
const LEAST = ["none", "minimal"] as const;
const TYPES: readonly ThinkingType[] = ["enabled", "disabled", "auto"];

function checkType({ type }: JsonObject, { thinkingTypes }: ArkModel): void {
  const known = TYPES.find((each) => each === type);
  if (known === undefined) {
    throw invalidParameter(
      "thinking.type",
      `expected one of ${TYPES.join(", ")}, but got ${JSON.stringify(type ?? null)} instead`,
    );
  }
  if (thinkingTypes.length === 0)
    throw invalidParameter("thinking", "not supported by the current model");
  if (!thinkingTypes.includes(known))
    throw refused("thinking.type", `Unsupported thinking type for the current model: ${known}.`);
}

function typeOf(body: JsonObject, { thinkingTypes }: ArkModel): ThinkingType | undefined {
  const asked = readObject(field(body, "thinking"))?.["type"];
  return TYPES.find((each) => each === asked) ?? thinkingTypes[0];
}

/**
 * `max_tokens` limits the answer alone, `max_completion_tokens` the thoughts
 * as well; while it thinks, a model does not listen to stop sequences.
 */
export function readThinking(body: JsonObject, model: ArkModel): Thinking {
  const type = typeOf(body, model);
  const effort = model.knownEfforts.find((each) => each === body["reasoning_effort"]);
  const isOff =
    type === undefined ||
    type === "disabled" ||
    LEAST.some((each) => each === effort) ||
    (type === "auto" && !deservesThought(body));
  if (isOff) return { effort: "none" };
  const covers = field(body, "max_completion_tokens").value === undefined ? "answer" : "all";
  return { effort: effort ?? model.usualEffort, limitCovers: covers, ignoresStop: true };
}

/** The model decides for itself: here by how much there is to read. */
function deservesThought(body: JsonObject): boolean {
  return JSON.stringify(body["messages"] ?? []).length > EASY_CHARACTERS;
}

const EASY_CHARACTERS = 200;
