import type { LossReport } from "#core/lossy.ts";
import type { ModelTraits } from "#core/model.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { flagOf, memberOf, textOf } from "#lib/values.ts";
import type { ChatDialect } from "./dialect.ts";
import { isUsual } from "./usual.ts";

/** A body without what its model refuses while it reasons. */
export function fitReasoner(
  body: JsonObject,
  model: ModelTraits,
  dialect: ChatDialect,
  report: LossReport,
): JsonObject {
  const reasons = model.reasoningControls !== undefined && body["reasoning_effort"] !== "none";
  const fit: Record<string, Json | undefined> = { ...body };
  for (const name of reasons ? (dialect.reasonersRefuse ?? []) : []) {
    const value = body[name];
    if (value === undefined) continue;
    fit[name] = undefined;
    if (name === "max_tokens") fit["max_completion_tokens"] ??= value;
    else if (!isUsual(name, value)) report.lose(name);
  }
  if (dialect.forcedToolsWhileReasoning === false && isForced(body["tool_choice"])) {
    fitForcedTools(fit, model, dialect, report);
  }
  return Object.fromEntries(
    Object.entries(fit).filter((entry): entry is [string, Json] => entry[1] !== undefined),
  );
}

function isForced(choice: Json | undefined): boolean {
  return choice === "required" || isObject(choice);
}

/** Who asked for reasoning gets it, and the choice is the model's; who did not, the tool that they asked for. */
function fitForcedTools(
  body: Record<string, Json | undefined>,
  { reasoningControls }: ModelTraits,
  { reasoning: terms }: ChatDialect,
  report: LossReport,
): void {
  const type = textOf(memberOf(body["thinking"], "type"));
  const isOn =
    terms === "switch"
      ? flagOf(body["enable_thinking"])
      : type === undefined
        ? undefined
        : type !== "disabled";
  if (isOn === true) {
    body["tool_choice"] = "auto";
    report.lose("tool_choice");
  } else if (isOn === undefined && reasoningControls?.toggle === true) {
    if (terms === "switch") body["enable_thinking"] = false;
    else body["thinking"] = { type: "disabled" };
  }
}
