import type { LossReport } from "#core/lossy.ts";
import type { ModelTraits } from "#core/model.ts";
import { readSignature } from "#core/signature.ts";
import type { AnswerFacts, BodyEdits, RequestFacts } from "#core/style.ts";
import { MAX_TOOL_NAME } from "#styles/text/tool-names.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, memberOf, textOf } from "#lib/values.ts";
import { errorIn } from "../failure.ts";
import { isThought, withoutLooseThoughts } from "../conversation/loose-thoughts.ts";
import { normalize, normalizeReasoning } from "../conversation/normalize.ts";
import { outputTextIn } from "./output-text.ts";
import { asksForProof } from "../conversation/reasoning-out.ts";
import { ENCRYPTED, RESPONSES } from "../raw-fields.ts";
import { usageIn } from "../usage.ts";

/**
 * Responses are kept by the gateway, so the vendor is asked to keep none and
 * to give reasoning in a form that can be sent back. Otherwise only what the
 * vendor would refuse is changed.
 */
export function amend(
  body: JsonObject,
  facts: RequestFacts,
  upstreamModel: string,
  model?: ModelTraits,
  report?: LossReport,
): BodyEdits {
  const edits: Record<string, Json | undefined> = { ...normalize(body) };
  if (upstreamModel !== facts.model) edits["model"] = upstreamModel;
  if (body["store"] !== false) edits["store"] = false;
  if ("previous_response_id" in body) edits["previous_response_id"] = undefined;

  const reasoning = normalizeReasoning(body["reasoning"]);
  if (reasoning !== undefined) edits["reasoning"] = reasoning;
  const include = listOf(body["include"]);
  if (asksForProof(model, showsReasoning(body)) && !include.includes(ENCRYPTED)) {
    edits["include"] = [...include, ENCRYPTED];
  }
  const input = withoutLostThoughts(edits["input"] ?? body["input"]);
  if (input !== undefined) {
    edits["input"] = input;
    report?.lose("reasoning");
  }
  return edits;
}

function showsReasoning(body: JsonObject): boolean {
  const asked = body["reasoning"];
  return (
    (isObject(asked) && Object.keys(asked).length > 0) || listOf(body["input"]).some(isThought)
  );
}

/**
 * Reasoning that is nothing but an id could only be found where it was kept,
 * what another style's upstream proved is refused by this one's, and so is what
 * led to nothing.
 */
function withoutLostThoughts(input: Json | undefined): Json | undefined {
  const items = listOf(input);
  const known = items.filter((item) => !isThought(item) || canStandAlone(item));
  const kept = withoutLooseThoughts(known);
  return kept.length === items.length ? undefined : kept;
}

function canStandAlone(item: Json): boolean {
  const proof = textOf(memberOf(item, "encrypted_content")) ?? "";
  if (proof === "") return listOf(memberOf(item, "content")).length > 0;
  return readSignature(proof, RESPONSES).issuer === RESPONSES;
}

/** Shortened names of tools have to be given back in the answer. */
export function mustTranslate({ tools, input }: JsonObject): boolean {
  return listOf(tools).some(hasLongName) || (isArray(input) && input.some(hasLongName));
}

/** An earlier item may have called a tool that is not offered any more. */
function hasLongName(named: Json): boolean {
  return (textOf(memberOf(named, "name"))?.length ?? 0) > MAX_TOOL_NAME;
}

export function readAnswer(body: JsonObject): AnswerFacts {
  return {
    usage: usageIn(body),
    outputText: () => outputTextIn(body),
    error: errorIn(body) ?? (isArray(body["output"]) ? undefined : NO_ANSWER),
  };
}

const NO_ANSWER = {
  code: "upstream_failed",
  message: "The upstream's answer holds no output.",
} as const;
