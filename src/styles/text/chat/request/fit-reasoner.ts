import { isObject, type Json } from "#lib/json.ts";
import { flagOf, memberOf, textOf } from "#lib/values.ts";
import { NO_LOSS } from "#styles/text/body-editor.ts";
import type { Fit } from "./fit-request.ts";
import { isDefault } from "./defaults.ts";

/** Removes what the model refuses while it reasons. */
export function fitReasoner(fit: Fit): void {
  const { editor, context, dialect } = fit;
  const { model } = context;
  if (model.reasoningControls === undefined) return;
  const refused = dialect.reasonersRefuse ?? [];
  const limit = editor.get("max_tokens");
  if (limit !== undefined && refused.includes("max_tokens")) {
    editor.remove("max_tokens", NO_LOSS);
    if (!editor.has("max_completion_tokens")) editor.set("max_completion_tokens", limit, NO_LOSS);
  }
  if (reasoningSwitch(fit) !== false) {
    editor.drop(
      refused.filter((name) => name !== "max_tokens"),
      isDefault,
    );
  }
  if (dialect.forcedToolsWhileReasoning === false && isForced(editor.get("tool_choice"))) {
    fitForcedTools(fit);
  }
}

function isForced(choice: Json | undefined): boolean {
  return choice === "required" || isObject(choice);
}

/** A caller who asked for reasoning gets it, and the choice is the model's; the others get the tool that they forced. */
function fitForcedTools(fit: Fit): void {
  if (!stopReasoning(fit)) fit.editor.set("tool_choice", "auto", "tool_choice");
}

/** Switches reasoning off unless the caller asked for it. Whether the model does not reason now. */
export function stopReasoning(fit: Fit): boolean {
  const { editor, context, dialect } = fit;
  const { reasoningControls: controls } = context.model;
  if (controls === undefined) return true;
  const isOn = reasoningSwitch(fit);
  if (isOn !== undefined || controls.toggle !== true) return isOn === false;
  if (dialect.reasoning === "switch" || dialect.reasoning === "any") {
    editor.set("enable_thinking", false, NO_LOSS);
  } else editor.set("thinking", { type: "disabled" }, NO_LOSS);
  return true;
}

/** Whether the body switches reasoning on or off, in the terms of any family. */
function reasoningSwitch({ editor }: Fit): boolean | undefined {
  const type = textOf(memberOf(editor.get("thinking"), "type"));
  if (editor.get("reasoning_effort") === "none" || type === "disabled") return false;
  const isTold = type !== undefined || editor.has("reasoning_effort");
  return flagOf(editor.get("enable_thinking")) ?? (isTold ? true : undefined);
}
