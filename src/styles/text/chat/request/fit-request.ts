import { refuse } from "#core/lossy.ts";
import { fitLimit } from "#styles/text/fit-limit.ts";
import { BodyEditor, NO_LOSS } from "#styles/text/body-editor.ts";
import type { BodyEdits, OutboundContext } from "#core/style.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, numberOf, textOf } from "#lib/values.ts";
import { dialectOf, type ChatDialect } from "./dialect.ts";
import { fitFormat } from "./fit-format.ts";
import { fitReasoner } from "./fit-reasoner.ts";
import { fitReasoning } from "./fit-reasoning.ts";
import { dropUnknown, liftExtensions } from "./fit-unknown.ts";
import { isDefault } from "./defaults.ts";
import { membersOf } from "#styles/text/request-fields.ts";
import { buildWebSearch, parseWebSearch } from "./web-search.ts";

/**
 * Removes or replaces what the vendor and the model of a chat body would
 * refuse. Runs on every outgoing body, so it looks at members by name and
 * returns no edits if all is well.
 */
export function fitRequest(body: JsonObject, context: OutboundContext): BodyEdits {
  const editor = new BodyEditor(body, context.report);
  const fit: Fit = { editor, context, dialect: dialectOf(context) };
  fitTools(fit);
  liftExtensions(fit);
  fitSearch(fit);
  fitSeed(fit);
  fitReasoning(fit);
  dropUnknown(fit);
  fitReasoner(fit);
  fitRules(fit);
  fitStops(fit);
  fitChoices(fit);
  fitLimit(editor, LIMITS, context);
  fitFormat(fit);
  fitServiceTier(fit);
  fitParts(fit);
  fitLinks(fit);
  return editor.edits;
}

const LIMITS = ["max_tokens", "max_completion_tokens"];

/** One body on its way to one vendor. */
export interface Fit {
  readonly editor: BodyEditor;
  readonly context: OutboundContext;
  readonly dialect: ChatDialect;
}

/**
 * An empty list of tools is refused, and so is a choice among none. One vendor
 * has a word of its own for a call that must be made.
 */
function fitTools({ editor }: Fit): void {
  if (editor.get("tool_choice") === "any") editor.set("tool_choice", "required", NO_LOSS);
  const tools = editor.get("tools");
  if (tools !== undefined && listOf(tools).length === 0) editor.remove("tools", NO_LOSS);
  if (editor.has("tools") || editor.has("functions")) return;
  const choice = editor.get("tool_choice");
  const isDemand = editor.has("tool_choice") && choice !== "auto" && choice !== "none";
  editor.remove("tool_choice", isDemand ? "tool_choice" : NO_LOSS);
  editor.remove("parallel_tool_calls", NO_LOSS);
}

/** Vendors without a search ignore the wish, or refuse it; one has a switch in its place. */
function fitSearch({ editor, dialect: { webSearch: way }, context: { report } }: Fit): void {
  if (way === undefined || !editor.has("web_search_options")) return;
  const isLost = way === false;
  if (!isLost) {
    if (way.as !== "switch") return;
    const search = parseWebSearch({ web_search_options: editor.get("web_search_options") });
    if (search !== undefined) {
      editor.assign(membersOf(buildWebSearch(search, "", { webSearch: way }), report));
    }
  }
  editor.remove("web_search_options", isLost ? "web_search_options" : NO_LOSS);
}

/** One vendor's name of `seed`, from a client of that vendor. */
function fitSeed({ editor, dialect }: Fit): void {
  const given = editor.get(RANDOM_SEED);
  if (given === undefined || dialect.seed !== undefined) return;
  editor.remove(RANDOM_SEED, NO_LOSS);
  if (!editor.has("seed")) editor.set("seed", given, NO_LOSS);
}

const RANDOM_SEED = "random_seed";

/** Members that the model refuses at every host. */
function fitRules({ editor, context: { model } }: Fit): void {
  const refused = model.rules?.refuses;
  if (refused === undefined) return;
  const names = refused.includes("logprobs") ? [...refused, "top_logprobs"] : refused;
  editor.drop(names, isHarmless);
}

function isHarmless(name: string, value: Json): boolean {
  const isUsual = isDefault(name, value);
  // The caller waits for all of them.
  if (name === "n" && !isUsual) throw refuse("n", "this model gives one answer.");
  return isUsual;
}

/** The others are lost, or searched for by the gateway. */
function fitStops({ editor, dialect: { maxStops } }: Fit): void {
  if (maxStops === undefined) return;
  const stops = listOf(editor.get("stop"));
  if (stops.length > maxStops) editor.set("stop", stops.slice(0, maxStops), "stop");
}

/** The caller waits for all answers, so fewer would be another request. */
function fitChoices({ editor, dialect: { maxChoices } }: Fit): void {
  if (maxChoices === undefined) return;
  const choices = numberOf(editor.get("n")) ?? 1;
  if (choices <= maxChoices) return;
  const given = maxChoices === 1 ? "one answer" : `${maxChoices} answers`;
  throw refuse("n", `this vendor gives at most ${given}.`);
}

function fitServiceTier({ editor, dialect }: Fit): void {
  const tier = editor.get("service_tier");
  if (dialect.serviceTiers === undefined || typeof tier !== "string") return;
  if (dialect.serviceTiers.includes(tier)) return;
  editor.drop(["service_tier"], isDefault);
}

/** Content that the vendor does not take changes the question, so that it is refused here. */
function fitParts({ editor, dialect: { parts } }: Fit): void {
  if (parts === undefined) return;
  for (const [index, message] of listOf(editor.get("messages")).entries()) {
    if (!isObject(message) || message["role"] !== "user") continue;
    for (const part of listOf(message["content"])) {
      const type = isObject(part) ? textOf(part["type"]) : undefined;
      if (type === undefined || parts.includes(type)) continue;
      throw refuse(`messages[${index}].content`, `this vendor takes no part of type '${type}'.`);
    }
  }
}

/** One vendor takes a link alone where all others want an object that holds it. */
function fitLinks({ editor }: Fit): void {
  const messages = editor.get("messages");
  if (!isArray(messages) || !messages.some(holdsBareLink)) return;
  const fitted = messages.map((message) =>
    isObject(message) && holdsBareLink(message)
      ? { ...message, content: partsOf(message).map(withLink) }
      : message,
  );
  editor.set("messages", fitted, NO_LOSS);
}

function partsOf(message: Json): readonly Json[] {
  return isObject(message) ? listOf(message["content"]) : NO_PARTS;
}

function holdsBareLink(message: Json): boolean {
  return partsOf(message).some(isBareLink);
}

function isBareLink(part: Json): boolean {
  return isObject(part) && typeof part["image_url"] === "string" && part["type"] === "image_url";
}

function withLink(part: Json): Json {
  if (!isObject(part) || !isBareLink(part)) return part;
  return { ...part, image_url: { url: part["image_url"] ?? "" } };
}

const NO_PARTS: readonly Json[] = [];
