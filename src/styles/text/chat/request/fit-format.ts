import type { AnswerFormat } from "#core/model.ts";
import type { OutboundContext } from "#core/style.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, memberOf, objectOf, textOf } from "#lib/values.ts";
import { NO_LOSS } from "#styles/text/body-editor.ts";
import { schemaInstruction } from "#styles/text/format-instruction.ts";
import { dialectOf } from "./dialect.ts";
import { stopReasoning } from "./fit-reasoner.ts";
import type { Fit } from "./fit-request.ts";
import { mentionsJson, withJsonHint } from "./json-hint.ts";

const FORMATS: Readonly<Record<string, AnswerFormat>> = {
  json_object: "json",
  json_schema: "json_schema",
};

/**
 * A format that the vendor does not enforce is replaced by the next weaker one,
 * and what that does not say is asked for in words.
 */
export function fitFormat(fit: Fit): void {
  const written = fit.editor.get("response_format");
  const format = FORMATS[textOf(memberOf(written, "type")) ?? ""];
  if (format !== undefined) enforce(format, written, fit);
}

function enforce(format: AnswerFormat, written: Json | undefined, fit: Fit): void {
  const { editor, context, dialect } = fit;
  const { model } = context;
  const isStopped = dialect.formatsWhileReasoning !== false || stopReasoning(fit);
  const takes = (one: AnswerFormat): boolean =>
    isStopped &&
    dialect.formats?.includes(one) !== false &&
    model.rules?.formats?.includes(one) !== false;

  if (!takes(format)) {
    const isWeaker = format === "json_schema" && takes("json");
    if (isWeaker) editor.set("response_format", { type: "json_object" }, "response_format");
    else editor.remove("response_format", "response_format");
    const schema = memberOf(memberOf(written, "json_schema"), "schema");
    const text = schemaInstruction(isObject(schema) ? schema : undefined);
    editor.set("messages", instructed(text, editor.get("messages")), NO_LOSS);
    return;
  }
  if (format !== "json" || dialect.jsonHint !== true) return;
  const messages = listOf(editor.get("messages")).filter(isObject);
  if (!messages.some(mentionsJson))
    editor.set("messages", withJsonHint(messages, { type: "json" }), NO_LOSS);
}

/** After the instructions that stand first. */
function instructed(text: string, messages: Json | undefined): Json {
  const all = listOf(messages);
  const first = all.findIndex((each) => !isInstruction(each));
  const at = first < 0 ? all.length : first;
  const said: JsonObject = { role: "system", content: text };
  return [...all.slice(0, at), said, ...all.slice(at)];
}

function isInstruction(message: Json): boolean {
  const role = memberOf(message, "role");
  return role === "system" || role === "developer";
}

export function schemaIn({ response_format: format }: JsonObject): JsonObject | undefined {
  if (memberOf(format, "type") !== "json_schema") return undefined;
  return objectOf(memberOf(memberOf(format, "json_schema"), "schema"));
}

/** A tool can be forced where the model calls tools, and need not reason while it does. */
export function schemaBy(
  _schema: JsonObject,
  context: Omit<OutboundContext, "report">,
): "format" | "tool" | "words" {
  const { model } = context;
  const { formats, forcedToolsWhileReasoning } = dialectOf(context);
  const isTaken =
    formats?.includes("json_schema") !== false &&
    model.rules?.formats?.includes("json_schema") !== false;
  if (isTaken) return "format";
  const { reasoningControls: controls, rules, tools } = model;
  const mayForce =
    forcedToolsWhileReasoning !== false || controls === undefined || controls.toggle === true;
  return tools === true && rules?.forcedTools !== false && mayForce ? "tool" : "words";
}
