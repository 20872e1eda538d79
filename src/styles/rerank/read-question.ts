import { invalid } from "#core/error.ts";
import type { RerankRequest } from "#core/rerank.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { defined, integerOf, listOf, restOf, textOf } from "#lib/values.ts";
import { validate } from "#core/validate.ts";
import { KNOWN, REQUEST } from "./fields.ts";

export function readQuestion(body: JsonObject): RerankRequest {
  validate(body, REQUEST);
  const query = textOf(body["query"]) ?? "";
  if (query === "") throw invalid("query", "'query' is empty.");
  const fields = listOf(body["rank_fields"]).flatMap((name) => textOf(name) ?? []);
  const documents = listOf(body["documents"]).map((document, at) => textIn(document, at, fields));
  if (documents.length === 0) throw invalid("documents", "'documents' is empty.");
  return {
    model: textOf(body["model"]) ?? "",
    query,
    documents,
    withDocuments: body["return_documents"] === true,
    ...defined({
      topN: integerOf(body["top_n"]) ?? integerOf(body["top_k"]),
      extra: restOf(body, KNOWN),
    }),
  };
}

/** The text of a document object: the requested fields, one per line if there are several. */
function textIn(document: Json, at: number, fields: readonly string[]): string {
  if (!isObject(document)) return textOf(document) ?? "";
  const [only = "text", ...more] = fields;
  if (more.length === 0) {
    const value = valueIn(document, only);
    if (value !== undefined) return value;
    const path = `documents[${at}].${only}`;
    throw invalid(path, `'${path}' is required.`);
  }
  const lines = fields.flatMap((name) => {
    const value = valueIn(document, name);
    return value === undefined ? [] : [`${name}: ${value}`];
  });
  if (lines.length > 0) return lines.join("\n");
  throw invalid(`documents[${at}]`, `'documents[${at}]' has no member that 'rank_fields' names.`);
}

/** Field names come from the client and may equal members that every object inherits. */
function valueIn(document: JsonObject, name: string): string | undefined {
  const value = Object.hasOwn(document, name) ? (document[name] ?? undefined) : undefined;
  return value === undefined ? undefined : (textOf(value) ?? JSON.stringify(value));
}
