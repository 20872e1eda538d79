import type { ModelTraits } from "#core/model.ts";
import type { AnswerFacts, BodyEdits, RequestFacts } from "#core/style.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, memberOf, textOf } from "#lib/values.ts";
import { holdsContent } from "../content.ts";
import { blockIn, errorIn } from "../failure.ts";
import { hasLongNames } from "../request/fit-names.ts";
import { reasonIn } from "../finish.ts";
import { outputTextIn } from "./output-text.ts";
import { withOwnProofs } from "../conversation/proof.ts";
import { maxToolName } from "../conversation/tool-name.ts";
import { renameSearch } from "../conversation/tool-out.ts";
import { usageIn } from "../usage.ts";

/**
 * Usage comes unasked, and either spelling is taken, so little is changed: the
 * specification's name of the search tool, the model's where the body has it
 * too, and proofs that another vendor gave.
 */
export function amend(
  body: JsonObject,
  facts: RequestFacts,
  upstreamModel: string,
  model: ModelTraits = {},
): BodyEdits {
  const { tools } = body;
  const contents = withOwnProofs(body["contents"], model);
  return {
    ...(contents === undefined ? {} : { contents }),
    ...(mentionsSearch(tools) ? { tools: renameSearch(isArray(tools) ? tools : [tools]) } : {}),
    ...modelIn(body, facts, upstreamModel),
  };
}

function mentionsSearch(tools: Json | undefined): tools is Json {
  const list = isArray(tools) ? tools : [tools];
  return list.some((tool) => isObject(tool) && ("vendorSearch" in tool || "vendor_search" in tool));
}

function modelIn(body: JsonObject, facts: RequestFacts, upstreamModel: string): BodyEdits {
  const written = textOf(body["model"]);
  if (written === undefined || upstreamModel === facts.model) return {};
  return { model: written.startsWith("models/") ? `models/${upstreamModel}` : upstreamModel };
}

/** Shortened names of tools have to be given back in the answer. */
export function mustTranslate(body: JsonObject, model: ModelTraits): boolean {
  return hasLongNames(body, maxToolName(model));
}

/** A question that the vendor refuses is answered: its clients know that answer. */
export function readAnswer(body: JsonObject): AnswerFacts {
  return {
    usage: usageIn(body),
    outputText: () => outputTextIn(body),
    error: errorIn(body) ?? (isAnswer(body) ? undefined : NO_ANSWER),
  };
}

const NO_ANSWER = {
  code: "upstream_failed",
  message: "The upstream's answer holds no candidate.",
} as const;

function isAnswer(body: JsonObject): boolean {
  const candidates = listOf(body["candidates"]);
  const hasReason = candidates.some(
    (each) => reasonIn(memberOf(each, "finishReason")) !== undefined,
  );
  return hasReason || holdsContent(body) || blockIn(body) !== undefined;
}
