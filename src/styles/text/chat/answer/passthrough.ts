import type { ModelTraits } from "#core/model.ts";
import type { AnswerFacts, BodyEdits, OutboundContext, RequestFacts } from "#core/style.ts";
import { MAX_TOOL_NAME } from "#styles/text/tool-names.ts";
import { isArray, type Json, type JsonObject } from "#lib/json.ts";
import { streamsCompactly } from "../request/dialect.ts";
import { outputTextIn } from "./output-text.ts";
import { errorIn } from "../failure.ts";
import { usageIn } from "../usage.ts";
import { listOf, memberOf, objectOf, textOf } from "#lib/values.ts";
import { isSaid } from "#styles/text/first-content.ts";
import { holdsContent } from "../content.ts";
import { withoutForeignProofs } from "../conversation/foreign-proofs.ts";

/**
 * A stream is billed by its usage, which comes only when asked for. What the
 * gateway itself is asked for, or what it lent to the caller, is no upstream's
 * business.
 */
export function amend(body: JsonObject, facts: RequestFacts, upstreamModel: string): BodyEdits {
  const options = objectOf(body["stream_options"]);
  const asks = facts.stream && options?.["include_usage"] !== true;
  let edits: Record<string, Json | undefined> | undefined;
  for (const name of OWN_MEMBERS) if (name in body) (edits ??= {})[name] = undefined;
  if (upstreamModel !== facts.model) (edits ??= {})["model"] = upstreamModel;
  if (asks) (edits ??= {})["stream_options"] = { ...options, include_usage: true };
  const messages = withoutForeignProofs(body);
  if (messages !== undefined) (edits ??= {})["messages"] = messages;
  return edits ?? NO_EDITS;
}

const NO_EDITS: BodyEdits = {};

export function asksForUsage(edits: BodyEdits): boolean {
  return memberOf(edits["stream_options"], "include_usage") === true;
}

/** Shortened names of tools have to be given back in the answer, and a compact stream has to be written. */
export function mustTranslate(
  { tools, functions, messages }: JsonObject,
  _model?: ModelTraits,
  facts?: RequestFacts,
  dialect?: OutboundContext["dialect"],
): boolean {
  if (facts?.compactStream === true && !streamsCompactly(dialect)) return true;
  if (listOf(tools).some(hasLongName) || listOf(functions).some(isLong)) return true;
  return listOf(messages).some(callsLongName);
}

/** An earlier turn may have called a tool that is not offered any more. */
function callsLongName(message: Json): boolean {
  const calls = memberOf(message, "tool_calls");
  if (isArray(calls) && calls.some(hasLongName)) return true;
  const isResult = memberOf(message, "role") === "tool";
  return (isResult && isLong(message)) || isLong(memberOf(message, "function_call"));
}

function hasLongName(tool: Json): boolean {
  return isLong(memberOf(tool, "function") ?? memberOf(tool, "custom"));
}

function isLong(named: Json | undefined): boolean {
  return (textOf(memberOf(named, "name"))?.length ?? 0) > MAX_TOOL_NAME;
}

const OWN_MEMBERS = ["svc_thinking_to_content", "thinking_to_content"];

export function readAnswer(body: JsonObject): AnswerFacts {
  return new ChatAnswer(body);
}

/** A class, since each complete answer has one. */
class ChatAnswer implements AnswerFacts {
  readonly #body: JsonObject;
  readonly usage: AnswerFacts["usage"];
  readonly error: AnswerFacts["error"];

  constructor(body: JsonObject) {
    this.#body = body;
    this.usage = usageIn(body);
    this.error = errorIn(body) ?? (isEmpty(body) ? NO_ANSWER : undefined);
  }

  outputText(): string {
    return outputTextIn(this.#body);
  }
}

const NO_ANSWER = {
  code: "upstream_failed",
  message: "The upstream's answer is empty.",
} as const;

/** No choice, or none that says anything, not even why it ends. */
function isEmpty(body: JsonObject): boolean {
  const choices = body["choices"];
  if (!isArray(choices)) return true;
  return !choices.some(hasReason) && !holdsContent(body);
}

function hasReason(choice: Json): boolean {
  return isSaid(memberOf(choice, "finish_reason"));
}
