import type { JsonObject } from "../json.ts";
import { type ApiError, invalid } from "../openai/error.ts";
import {
  checkLimit,
  thinkingModel,
  thinkingTypeIn,
  type ThinkingModel,
} from "../openai/thinking-vendor.ts";

export const KIMIS: readonly ThinkingModel[] = [
  thinkingModel("kimi-k3", 1_048_576, 1_048_576),
  thinkingModel("kimi-k3.1-pro", 1_048_576, 1_048_576),
  thinkingModel("kimi-k2.6", 262_144, 262_144),
  thinkingModel("kimi-k2.7-code", 262_144, 262_144),
];

export function isThinking(body: JsonObject): boolean {
  return thinkingTypeIn(body) !== "disabled";
}

/** Reports of autumn 2026 name the refused fields; the texts of the refusals are uncertain. */
export function check(body: JsonObject, model: ThinkingModel): void {
  for (const [name, only] of fixedFor(body)) {
    const value = body[name] ?? undefined;
    if (value !== undefined && value !== only)
      throw refused(`invalid ${name}: only ${only} is allowed for this model`);
  }
  if (model.id.startsWith("kimi-k3")) checkThird(body);
  else checkSecond(body, model);
  checkLimit(body, model, (name, range) => refused(`invalid ${name}: must be in ${range}`));
}

/** Of those without thinking, temperature has another value. */
function fixedFor(body: JsonObject): readonly (readonly [string, number])[] {
  return [
    ["temperature", isThinking(body) ? 1 : 0.6],
    ["top_p", 0.95],
    ["n", 1],
    ["presence_penalty", 0],
    ["frequency_penalty", 0],
  ];
}

function checkThird(body: JsonObject): void {
  if (body["thinking"] !== undefined)
    throw refused("invalid thinking: this model always thinks, use reasoning_effort");
  const effort = body["reasoning_effort"] ?? undefined;
  if (effort !== undefined && !["low", "high", "max"].some((each) => each === effort))
    throw refused("invalid reasoning_effort: must be one of low, high, max");
}

function checkSecond(body: JsonObject, { id }: ThinkingModel): void {
  if (id.endsWith("-code") && !isThinking(body))
    throw refused("invalid thinking: only type=enabled is allowed for this model");
}

function refused(message: string): ApiError {
  return invalid(null, null, message);
}
