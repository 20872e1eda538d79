import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../json.ts";
import { field } from "../openai/fields.ts";
import { invalidParameter } from "./error.ts";
import type { ArkModel } from "./models.ts";

/** Limits that are other than the protocol's. */
export function checkParameters(body: JsonObject, model: ArkModel): void {
  checkLimits(body, model);
  const messages = isJsonArray(body["messages"]) ? body["messages"] : [];
  const stranger = messages.find(
    (message) => isJsonObject(message) && message["role"] === "developer",
  );
  if (stranger !== undefined)
    throw invalidParameter(
      "messages.role",
      "expected one of system, user, assistant, tool, but got developer instead",
    );
  const tools = isJsonArray(body["tools"]) ? body["tools"] : [];
  const isOther = (tool: Json) => isJsonObject(tool) && tool["type"] !== "function";
  if (tools.some(isOther))
    throw invalidParameter("tools.type", "expected function as the type of every tool");
}

function checkLimits(body: JsonObject, { maxOutputTokens }: ArkModel): void {
  const limits: readonly (readonly [string, number])[] = [
    ["max_tokens", maxOutputTokens],
    ["max_completion_tokens", Math.max(maxOutputTokens, 65_536)],
  ];
  for (const [name, most] of limits) {
    const { value } = field(body, name);
    if (value === undefined) continue;
    if (typeof value !== "number" || !Number.isInteger(value))
      throw invalidParameter(name, `expected an integer, but got ${JSON.stringify(value)} instead`);
    if (value > most) throw outside(name, "above maximum", `<= ${most}`, value);
    if (value < 1) throw outside(name, "below minimum", ">= 1", value);
  }
  if (limits.every(([name]) => field(body, name).value !== undefined))
    throw invalidParameter(
      "max_tokens",
      "max_tokens and max_completion_tokens cannot be set at the same time",
    );
}

function outside(name: string, where: string, wanted: string, value: number): Error {
  return invalidParameter(
    name,
    `integer ${where} value, expected a value ${wanted}, but got ${value} instead`,
  );
}
