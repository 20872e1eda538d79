import type { AnswerFacts, BodyEdits, RequestFacts } from "#core/style.ts";
import { isArray, type Json, type JsonObject } from "#lib/json.ts";
import { memberOf } from "#lib/values.ts";
import { MARKED_MEMBERS, withVendorMarks } from "./cache.ts";
import { errorIn } from "./failure.ts";
import { outputTextIn } from "./output-text.ts";
import { mayThink } from "./reasoning-out.ts";
import { parseUsage } from "./usage.ts";
import { withGenuineThinking } from "./genuine-thinking.ts";

/**
 * Usage comes unasked. What goes out is only what vendors would choke on:
 * words of the specification that are not theirs, and thinking that another
 * vendor did.
 */
export function amend(body: JsonObject, facts: RequestFacts, upstreamModel: string): BodyEdits {
  const edits: Record<string, Json | undefined> = {};
  if (upstreamModel !== facts.model) edits["model"] = upstreamModel;

  const messages = withGenuineThinking(body["messages"]);
  const type = memberOf(body["thinking"], "type");
  if (messages !== undefined) {
    edits["messages"] = messages;
    if (type === "enabled" && !mayThink({ messages })) edits["thinking"] = { type: "disabled" };
  }
  const thinks = edits["thinking"] === undefined && (type === "enabled" || type === "adaptive");
  if (thinks && body["top_p"] === 0) edits["top_p"] = undefined;

  for (const name of MARKED_MEMBERS) {
    const value = edits[name] ?? body[name];
    const adapted = value === undefined ? undefined : withVendorMarks(name, value);
    if (adapted !== value) edits[name] = adapted;
  }
  return edits;
}

export function readAnswer(body: JsonObject): AnswerFacts {
  return {
    usage: parseUsage(body["usage"]),
    outputText: () => outputTextIn(body["content"]),
    error: errorIn(body) ?? (isArray(body["content"]) ? undefined : NO_ANSWER),
  };
}

const NO_ANSWER = {
  code: "upstream_failed",
  message: "The upstream's answer holds no message.",
} as const;
