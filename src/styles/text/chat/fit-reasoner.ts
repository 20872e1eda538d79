import { isObject, type Json } from "#lib/json.ts";
import { flagOf, memberOf, textOf } from "#lib/values.ts";
import type { Fit } from "./fit-request.ts";
import { isUsual } from "./usual.ts";

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
  if (editor.get("reasoning_effort") !== "none") {
    for (const name of refused) {
      const value = editor.get(name);
      if (value === undefined || name === "max_tokens") continue;
      editor.remove(name);
      if (!isUsual(name, value)) report.lose(name);
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
function fitForcedTools({ editor, context: { model, report }, dialect }: Fit): void {
  const isOn = isReasoningOn(editor.get("enable_thinking"), editor.get("thinking"), dialect);
  const canStop = model.reasoningControls?.toggle === true;
  if (isOn === false) return;
  if (isOn === undefined && canStop) {
    if (dialect.reasoning === "switch") editor.set("enable_thinking", false);
    else editor.set("thinking", { type: "disabled" });
    return;
  }
  editor.set("tool_choice", "auto");
  report.lose("tool_choice");
}

function isReasoningOn(
  enabled: Json | undefined,
  thinking: Json | undefined,
  { reasoning }: Fit["dialect"],
): boolean | undefined {
  if (reasoning === "switch") return flagOf(enabled);
  const type = textOf(memberOf(thinking, "type"));
  return type === undefined ? undefined : type !== "disabled";
}
