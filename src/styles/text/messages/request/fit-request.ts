import type { BodyEdits, OutboundContext } from "#core/style.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, memberOf, numberOf, objectOf, textOf } from "#lib/values.ts";
import { BodyEditor, NO_LOSS } from "#styles/text/body-editor.ts";
import { fitLimit } from "#styles/text/fit-limit.ts";
import { schemaInstruction } from "#styles/text/format-instruction.ts";
import { fitThinking } from "./fit-thinking.ts";
import { isThinking } from "../conversation/reasoning-out.ts";
import { withInstruction } from "./instruction.ts";

/**
 * Removes or replaces what the model of a messages body would refuse. Runs on
 * every outgoing body, so it looks at members by name and returns no edits if
 * all is well.
 */
export function fitRequest(body: JsonObject, context: OutboundContext): BodyEdits {
  const editor = new BodyEditor(body, context.report);
  fitLimit(editor, ["max_tokens"], context);
  fitThinking(editor, context);
  fitSamplers(editor, context);
  fitForcedTools(editor, context);
  fitPrefill(editor, context);
  fitFormat(editor, context);
  if (context.dropsMisplaced === true) fitBinding(editor, context);
  return editor.edits;
}

/**
 * The rule of preserved thinking: what the gateway changes before a thinking
 * block has to be the same bytes in every later request of the conversation,
 * so every edit is a function of the message that it changes and of nothing
 * behind it. If another channel wrote the conversation differently, that
 * cannot hold: the vendor is asked to leave out what no longer fits, and says
 * so in `input_transformations`.
 */
function fitBinding(editor: BodyEditor, { model }: OutboundContext): void {
  if (model.rules?.bindsThinking !== true) return;
  const thinking = objectOf(editor.get("thinking")) ?? { type: "adaptive" };
  if (thinking["type"] === "disabled" || thinking["block_binding"] !== undefined) return;
  if (!listOf(editor.get("messages")).some(hasThinking)) return;
  const block_binding = { prefix_mismatch_behavior: "drop_block" };
  editor.set("thinking", { ...thinking, block_binding }, NO_LOSS);
}

function hasThinking(turn: Json): boolean {
  return (
    memberOf(turn, "role") === "assistant" && listOf(memberOf(turn, "content")).some(isThinking)
  );
}

/** Below this a thinking model refuses it. */
const LEAST_THINKING_TOP_P = 0.95;

function fitSamplers(editor: BodyEditor, { model }: OutboundContext): void {
  const { refuses = [], oneSampler } = model.rules ?? {};
  const drop = (name: string): void => editor.drop([name], isUsual);
  for (const name of ["temperature", "top_p", "top_k"] as const) {
    if (refuses.includes(name)) drop(name);
  }
  if (isThinkingOn(editor)) {
    if (editor.get("temperature") !== 1) drop("temperature");
    if ((numberOf(editor.get("top_p")) ?? 1) < LEAST_THINKING_TOP_P) drop("top_p");
    drop("top_k");
  }
  if (oneSampler !== true || !editor.has("temperature") || !editor.has("top_p")) return;
  drop(editor.get("temperature") === 1 ? "temperature" : "top_p");
}

/** 1 is the default of the model. */
function isUsual(name: string, value: Json): boolean {
  return value === 1 && name !== "top_k";
}

function isThinkingOn(editor: BodyEditor): boolean {
  const type = textOf(memberOf(editor.get("thinking"), "type"));
  return type !== undefined && type !== "disabled";
}

/** Some models cannot be made to call a tool, and none can while it thinks. */
function fitForcedTools(editor: BodyEditor, { model }: OutboundContext): void {
  const choice = editor.get("tool_choice");
  const type = memberOf(choice, "type");
  if (type !== "any" && type !== "tool") return;
  if (model.rules?.forcedTools !== false && !isThinkingOn(editor)) return;
  const { name: _, ...rest } = objectOf(choice) ?? {};
  editor.set("tool_choice", { ...rest, type: "auto" }, "tool_choice");
}

/** Asks models to go on that refuse to continue an assistant turn. */
export const GO_ON = { role: "user", content: "Continue." };

function fitPrefill(editor: BodyEditor, { model }: OutboundContext): void {
  if (model.rules?.prefill !== false) return;
  const messages = listOf(editor.get("messages"));
  const last = messages.at(-1);
  if (memberOf(last, "role") !== "assistant" || isPaused(last)) return;
  editor.set("messages", [...messages, GO_ON], "messages.prefill");
}

/** An answer that stopped amid the vendor's own tools is sent back as it is, to be continued. */
function isPaused(turn: Json | undefined): boolean {
  const type = textOf(memberOf(listOf(memberOf(turn, "content")).at(-1), "type")) ?? "";
  return type === "server_tool_use" || type.endsWith("_tool_result");
}

/** A format that the model cannot be held to is asked for in words. */
function fitFormat(editor: BodyEditor, { model }: OutboundContext): void {
  if (model.rules?.formats?.includes("json_schema") !== false) return;
  const config = objectOf(editor.get("output_config"));
  const format = objectOf(config?.["format"]) ?? objectOf(editor.get("output_format"));
  if (format?.["type"] !== "json_schema") return;
  editor.remove("output_format", NO_LOSS);
  if (config !== undefined) {
    const { format: _, ...rest } = config;
    if (Object.keys(rest).length === 0) editor.remove("output_config", NO_LOSS);
    else editor.set("output_config", rest, NO_LOSS);
  }
  const schema = format["schema"];
  const text = schemaInstruction(isObject(schema) ? schema : undefined);
  const system = withInstruction(editor.get("system"), text) ?? text;
  editor.set("system", system, "response_format");
}
