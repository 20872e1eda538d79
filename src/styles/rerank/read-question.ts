import { invalid } from "#core/error.ts";
import type { RerankQuestion } from "#core/rerank.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined, integerOf, listOf, memberOf, textOf } from "#lib/values.ts";
import { holdToRule } from "#core/hold-to-rule.ts";
import { REQUEST } from "./fields.ts";

export function readQuestion(body: JsonObject): RerankQuestion {
  holdToRule(body, REQUEST);
  const query = textOf(body["query"]) ?? "";
  if (query === "") throw invalid("query", "'query' is empty.");
  const documents = listOf(body["documents"]).map(
    (document) => textOf(document) ?? textOf(memberOf(document, "text")) ?? "",
  );
  if (documents.length === 0) throw invalid("documents", "'documents' is empty.");
  return {
    model: textOf(body["model"]) ?? "",
    query,
    documents,
    withDocuments: body["return_documents"] === true,
    ...defined({ topN: integerOf(body["top_n"]) }),
  };
}
