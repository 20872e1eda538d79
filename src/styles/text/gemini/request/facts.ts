import { invalid } from "#core/error.ts";
import type { Address, RequestFacts } from "#core/style.ts";
import { isArray, type Json, type JsonObject } from "#lib/json.ts";
import { integerOf, listOf, memberOf, textOf } from "#lib/values.ts";
import { validate } from "#core/validate.ts";
import { askedFor } from "#styles/text/asked-for.ts";
import { WRITTEN_REQUEST } from "./fields.ts";
import { isModelRole } from "../conversation/role.ts";

/**
 * Runs on every call, so what it does not need it does not look at. Model and
 * stream stand in the path. Usage comes with every chunk, asked for or not.
 */
export function readRequest(body: JsonObject, address: Address): RequestFacts {
  const unknownValue = validate(body, WRITTEN_REQUEST);
  listOf(body["contents"]).forEach(checkContent);

  const config = body["generationConfig"] ?? body["generation_config"];
  return {
    model: address.model ?? bareModel(body["model"]),
    stream: address.stream === true,
    maxOutputTokens: integerOf(either(config, "maxOutputTokens", "max_output_tokens")),
    choices: integerOf(either(config, "candidateCount", "candidate_count")) ?? 1,
    messages: listOf(body["contents"]).length,
    wantsUsage: true,
    ...askedFor({ serviceTier: either(body, "serviceTier", "service_tier") }),
    ...(unknownValue && { unknownValue }),
  };
}

/** An answer without any parts comes back from clients as it was given. */
function checkContent(content: Json, index: number): void {
  const parts = memberOf(content, "parts");
  if (parts === undefined || parts === null) {
    if (isModelRole(memberOf(content, "role"))) return;
    throw invalid(`contents[${index}].parts`, `'contents[${index}].parts' is required.`);
  }
  if (isArray(parts) && parts.length === 0 && !isModelRole(memberOf(content, "role"))) {
    throw invalid(`contents[${index}].parts`, `'contents[${index}].parts' must not be empty.`);
  }
}

function either(of: Json | undefined, name: string, other: string): Json | undefined {
  return memberOf(of, name) ?? memberOf(of, other);
}

function bareModel(name: Json | undefined): string {
  const written = textOf(name) ?? "";
  return written.startsWith("models/") ? written.slice("models/".length) : written;
}
