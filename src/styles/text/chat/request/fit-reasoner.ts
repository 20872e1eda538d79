import { isObject, type Json } from "#lib/json.ts";
import { flagOf, memberOf, textOf } from "#lib/values.ts";
import type { Fit } from "./fit-request.ts";
import { isDefault } from "./defaults.ts";

/** Removes what the model refuses while it reasons. */
export function fitReasoner(fit: Fit): void {
  const { editor, context, dialect } = fit;
  const { model, report } = context;
  if (model.reasoningControls === undefined) return;
  const refused = dialect.reasonersRefuse ?? [];
  const limit = editor.get("max_tokens");
  if (limit !== undefined && refused.includes("max_tokens")) {
    editor.remove("max_tokens");
    if (!editor.has("max_completion_tokens")) editor.set("max_completion_tokens", limit);
  }
  if (reasoningSwitch(fit) !== false) {
    for (const name of refused) {
      const value = editor.get(name);
      if (value === undefined || name === "max_tokens") continue;
      editor.remove(name);
      if (!isDefault(name, value)) report.lose(name);
    }
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
  const { editor, context } = fit;
  const { report } = context;
  if (stopReasoning(fit)) return;
  editor.set("tool_choice", "auto");
  report.lose("tool_choice");
}

/** Switches reasoning off unless the caller asked for it. Whether the model does not reason now. */
export function stopReasoning(fit: Fit): boolean {
  const { editor, context, dialect } = fit;
  const { reasoningControls: controls } = context.model;
  if (controls === undefined) return true;
  const isOn = reasoningSwitch(fit);
  if (isOn !== undefined || controls.toggle !== true) return isOn === false;
  if (dialect.reasoning === "switch" || dialect.reasoning === "any") {
    editor.set("enable_thinking", false);
  } else editor.set("thinking", { type: "disabled" });
  return true;
}

/** Whether the body switches reasoning on or off, in whichever terms. */
function reasoningSwitch({ editor }: Fit): boolean | undefined {
  const type = textOf(memberOf(editor.get("thinking"), "type"));
  if (editor.get("reasoning_effort") === "none" || type === "disabled") return false;
  const isTold = type !== undefined || editor.has("reasoning_effort");
  return flagOf(editor.get("enable_thinking")) ?? (isTold ? true : undefined);
}
