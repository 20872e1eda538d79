import { doesNotReason } from "#core/model.ts";
import { planReasoning } from "#core/reasoning.ts";
import type { BodyEdits, OutboundContext } from "#core/style.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, memberOf, numberOf, objectOf, textOf } from "#lib/values.ts";
import { BodyEditor, NO_LOSS } from "#styles/text/body-editor.ts";
import { fitLimit } from "#styles/text/fit-limit.ts";
import { fitReasoner, type ResponsesDialect } from "./fit-reasoner.ts";

/**
 * Removes or replaces what the vendor and the model of a responses body would
 * refuse. Runs on every outgoing body, so it looks at members by name and
 * returns no edits if all is well.
 */
export function fitRequest(body: JsonObject, context: OutboundContext): BodyEdits {
  const editor = new BodyEditor(body, context.report);
  dropUnknown(editor, context);
  fitReasoning(editor, context);
  fitReasoner(editor, context);
  fitLimit(editor, ["max_output_tokens"], context);
  fitLeast(editor, context);
  fitJsonWord(editor, context);
  fitServiceTier(editor, context);
  return editor.edits;
}

function dropUnknown(editor: BodyEditor, { dialect }: OutboundContext): void {
  const { knows }: ResponsesDialect = dialect ?? {};
  if (knows === undefined) return;
  editor.drop(editor.namesBeside(knows), (_, value) => value === null);
}

/** A model refuses efforts that it does not have, and any reasoning if it has none. */
function fitReasoning(editor: BodyEditor, { model }: OutboundContext): void {
  const reasoning = objectOf(editor.get("reasoning"));
  if (reasoning === undefined) return;
  const effort = textOf(reasoning["effort"]);
  if (doesNotReason(model)) {
    editor.remove("reasoning", (effort ?? "none") === "none" ? NO_LOSS : "reasoning");
    return;
  }
  const { reasoningControls: controls } = model;
  if (effort === undefined || controls?.efforts?.includes(effort) !== false) return;
  const plan = planReasoning({ effort }, controls);
  if (plan?.mode !== "effort") return;
  const loss = effort === "none" ? "reasoning" : "reasoning.effort";
  editor.set("reasoning", { ...reasoning, effort: plan.effort }, loss);
}

/** A few tokens more serve a caller better than a refusal. */
function fitLeast(editor: BodyEditor, { dialect }: OutboundContext): void {
  const { minOutputTokens: least }: ResponsesDialect = dialect ?? {};
  const limit = numberOf(editor.get("max_output_tokens"));
  // Less than one is nonsense in any vendor's words.
  if (least === undefined || limit === undefined || limit < 1 || limit >= least) return;
  editor.set("max_output_tokens", least, "max_output_tokens");
}

/** `json_object` is refused unless the input says "json"; instructions do not count. */
function fitJsonWord(editor: BodyEditor, { dialect }: OutboundContext): void {
  const { jsonHint }: ResponsesDialect = dialect ?? {};
  if (jsonHint !== true) return;
  if (memberOf(memberOf(editor.get("text"), "format"), "type") !== "json_object") return;
  const input = editor.get("input");
  if (saysJson(input)) return;
  const said: JsonObject = { role: "system", content: "Answer in JSON." };
  const items = isArray(input) ? input : [{ role: "user", content: textOf(input) ?? "" }];
  editor.set("input", [said, ...items], NO_LOSS);
}

function saysJson(input: Json | undefined): boolean {
  if (!isArray(input)) return /json/i.test(textOf(input) ?? "");
  return input.some((item) => {
    const content = memberOf(item, "content");
    if (typeof content === "string") return /json/i.test(content);
    return listOf(content).some(
      (part) => isObject(part) && /json/i.test(textOf(part["text"]) ?? ""),
    );
  });
}

function fitServiceTier(editor: BodyEditor, { dialect }: OutboundContext): void {
  const { serviceTiers }: ResponsesDialect = dialect ?? {};
  const tier = textOf(editor.get("service_tier"));
  if (tier === undefined || serviceTiers?.includes(tier) !== false) return;
  editor.remove("service_tier", "service_tier");
}
