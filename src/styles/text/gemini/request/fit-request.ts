import type { TuningSetting } from "#core/model.ts";
import type { BodyEdits, OutboundContext } from "#core/style.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, memberOf, objectOf, textOf } from "#lib/values.ts";
import { BodyEditor, NO_LOSS } from "#styles/text/body-editor.ts";
import { fitLimit } from "#styles/text/fit-limit.ts";
import { choiceInstruction, schemaInstruction } from "#styles/text/format-instruction.ts";
import { fitNames } from "./fit-names.ts";
import { fitThinkingConfig } from "./fit-thinking.ts";
import { camelized } from "./names.ts";
import { isModelRole } from "../conversation/role.ts";
import { maxToolName } from "../conversation/tool-name.ts";

/** In which ways a vendor's reading of the style is its own. */
export interface GeminiDialect {
  /** Members of the body that it refuses; they only tune, so they are left out and reported. */
  readonly refuses?: readonly string[];
}

/**
 * Removes or replaces what the model of a body would refuse. Runs on every
 * outgoing body, so it looks at members by name and returns no edits if all is
 * well. Members may be spelled in either way; those that change are written in
 * camel case.
 */
export function fitRequest(body: JsonObject, context: OutboundContext): BodyEdits {
  const editor = new BodyEditor(body, context.report);
  fitRefused(editor, context);
  const tools = editor.get("tools");
  if (isArray(tools) && tools.length === 0) editor.remove("tools", NO_LOSS);
  fitNames(editor, maxToolName(context.model));
  fitPrefill(editor, context);

  const written = objectOf(body["generationConfig"] ?? body["generation_config"]);
  if (written === undefined) return editor.edits;
  const config = new BodyEditor(inCamelCase(written), context.report);
  fitSettings(config, context);
  fitLimit(config, ["maxOutputTokens"], context);
  fitThinkingConfig(config, context);
  fitFormat(config, editor, context);
  if (Object.keys(config.edits).length === 0) return editor.edits;
  editor.remove("generation_config", NO_LOSS);
  if (Object.values(config.current).every((value) => value === undefined)) {
    editor.remove("generationConfig", NO_LOSS);
  } else editor.set("generationConfig", config.current, NO_LOSS);
  return editor.edits;
}

function inCamelCase(config: JsonObject): JsonObject {
  return objectOf(camelized({ generationConfig: config })["generationConfig"]) ?? {};
}

function fitRefused(editor: BodyEditor, { dialect }: OutboundContext): void {
  const { refuses = [] }: GeminiDialect = dialect ?? {};
  for (const name of refuses) {
    if (!editor.has(name)) continue;
    editor.remove(name, name);
  }
}

/** Asks models to go on that refuse to continue their own turn. */
const GO_ON: JsonObject = { role: "user", parts: [{ text: "Continue." }] };

function fitPrefill(editor: BodyEditor, { model }: OutboundContext): void {
  if (model.rules?.prefill !== false) return;
  const contents = listOf(editor.get("contents"));
  if (!isModelRole(memberOf(contents.at(-1), "role"))) return;
  editor.set("contents", [...contents, GO_ON], "messages.prefill");
}

const SETTINGS: Readonly<Partial<Record<TuningSetting, readonly string[]>>> = {
  temperature: ["temperature"],
  top_p: ["topP"],
  top_k: ["topK"],
  presence_penalty: ["presencePenalty"],
  frequency_penalty: ["frequencyPenalty"],
  seed: ["seed"],
  logprobs: ["responseLogprobs", "logprobs"],
  n: ["candidateCount"],
};

/** What changes nothing; 0 of the others. */
const NEUTRAL: ReadonlyMap<TuningSetting, number> = new Map([
  ["temperature", 1],
  ["top_p", 1],
]);

function fitSettings(config: BodyEditor, { model }: OutboundContext): void {
  for (const setting of model.rules?.refuses ?? []) {
    for (const name of SETTINGS[setting] ?? []) {
      const value = config.get(name);
      if (value === undefined || (setting === "n" && value === 1)) continue;
      const isNeutral = [NEUTRAL.get(setting) ?? 0, false, null].some((each) => each === value);
      config.remove(name, isNeutral ? NO_LOSS : setting);
    }
  }
}

/** Some models refuse tools and an enforced format within one request: the tools stay. */
function fitFormat(config: BodyEditor, editor: BodyEditor, { model }: OutboundContext): void {
  const type = textOf(config.get("responseMimeType"));
  if (type === undefined || type === "text/plain") return;
  const { formatsWithTools, formats } = model.rules ?? {};
  const isMixed = formatsWithTools === false && listOf(editor.get("tools")).length > 0;
  const name = type === "text/x.enum" ? "enum" : "json";
  if (!isMixed && formats?.includes(name) !== false) return;
  const schema = objectOf(config.get("responseJsonSchema") ?? config.get("responseSchema"));
  const choices = listOf(schema?.["enum"]).filter((one) => typeof one === "string");
  const text =
    name === "enum" && choices.length > 0 ? choiceInstruction(choices) : schemaInstruction(schema);
  for (const each of FORMAT_MEMBERS) config.remove(each, NO_LOSS);
  const member = editor.has("system_instruction") ? "system_instruction" : "systemInstruction";
  editor.set(member, withInstruction(editor.get(member), text), "response_format");
}

const FORMAT_MEMBERS = [
  "responseMimeType",
  "responseSchema",
  "responseJsonSchema",
  "_responseJsonSchema",
];

function withInstruction(instruction: Json | undefined, text: string): JsonObject {
  const parts = isObject(instruction) ? instruction["parts"] : undefined;
  const said = isArray(parts) ? parts : parts === undefined ? [] : [parts];
  return { ...objectOf(instruction), parts: [...said, { text }] };
}
