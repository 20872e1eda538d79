import type { LossReport } from "#core/lossy.ts";
import type { ModelTraits } from "#core/model.ts";
import type { AnswerFacts, BodyEdits, RequestFacts } from "#core/style.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { integerOf, listOf, memberOf, textOf } from "#lib/values.ts";
import { isSilent, withoutEmptyTexts } from "../conversation/empty-texts.ts";
import { mapChanged, MARKED_MEMBERS, withVendorMarks } from "../conversation/cache.ts";
import { withVendorCitations } from "../conversation/citation.ts";
import { errorIn } from "../failure.ts";
import { outputTextIn } from "./output-text.ts";
import { hasThoughtlessCalls, mayThink } from "../conversation/reasoning-out.ts";
import { parseUsage } from "../usage.ts";
import { withGenuineThinking } from "../conversation/genuine-thinking.ts";
import { MAX_LENGTH } from "../conversation/tool-name.ts";

/**
 * Usage comes unasked. What goes out is only what vendors would choke on:
 * words of the specification that are not theirs, thinking that another vendor
 * did, sources that it named, and its empty texts.
 */
export function amend(
  body: JsonObject,
  facts: RequestFacts,
  upstreamModel: string,
  _model?: ModelTraits,
  report?: LossReport,
): BodyEdits {
  const edits: Record<string, Json | undefined> = {};
  if (upstreamModel !== facts.model) edits["model"] = upstreamModel;

  const genuine = withGenuineThinking(body["messages"]);
  const messages = withOwnWords(listOf(genuine ?? body["messages"]));
  if (messages !== body["messages"]) edits["messages"] = messages;
  const type = memberOf(body["thinking"], "type");
  if (type === "enabled" && mustStopThinking(messages, genuine !== undefined)) {
    report?.lose("reasoning");
    edits["thinking"] = { type: "disabled" };
  }
  const thinks = edits["thinking"] === undefined && (type === "enabled" || type === "adaptive");
  if (thinks && body["top_p"] === 0) edits["top_p"] = undefined;
  if ((integerOf(body["top_k"]) ?? 0) < 0) edits["top_k"] = undefined;

  for (const name of MARKED_MEMBERS) {
    const value = edits[name] ?? body[name];
    const adapted = value === undefined ? undefined : withVendorMarks(name, value);
    if (adapted !== value) edits[name] = adapted;
  }
  return edits;
}

function mustStopThinking(turns: readonly Json[], lacksThinking: boolean): boolean {
  const conversation = { messages: turns.filter(isObject) };
  return lacksThinking ? !mayThink(conversation) : hasThoughtlessCalls(conversation);
}

function withOwnWords(turns: readonly Json[]): readonly Json[] {
  const own = mapChanged(turns, inOwnWords);
  return own.some(isSilent) ? own.filter((turn) => !isSilent(turn)) : own;
}

function inOwnWords(turn: Json): Json {
  if (!isObject(turn) || !isArray(turn["content"])) return turn;
  const sourced = mapChanged(turn["content"], (block) =>
    isObject(block) ? withVendorCitations(block) : block,
  );
  const content = turn["role"] === "assistant" ? withoutEmptyTexts(sourced) : sourced;
  return content === turn["content"] ? turn : { ...turn, content };
}

/** Shortened names of tools have to be given back in the answer. */
export function mustTranslate({ tools, messages }: JsonObject): boolean {
  return listOf(tools).some(hasLongName) || listOf(messages).some(callsLongName);
}

/** An earlier turn may have called a tool that is not offered any more. */
function callsLongName(turn: Json): boolean {
  const content = memberOf(turn, "content");
  return isArray(content) && content.some(hasLongName);
}

function hasLongName(named: Json): boolean {
  return (textOf(memberOf(named, "name"))?.length ?? 0) > MAX_LENGTH;
}

export function readAnswer(body: JsonObject): AnswerFacts {
  return {
    usage: parseUsage(body["usage"]),
    outputText: () => outputTextIn(body["content"]),
    error: errorIn(body) ?? (isAnswer(body) ? undefined : NO_ANSWER),
  };
}

/** An empty answer says at least why it ends. */
function isAnswer({ content, stop_reason: reason }: JsonObject): boolean {
  return isArray(content) && (content.length > 0 || typeof reason === "string");
}

const NO_ANSWER = {
  code: "upstream_failed",
  message: "The upstream's answer is empty.",
} as const;
