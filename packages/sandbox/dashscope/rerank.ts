import { countRanked, rank } from "../engine/rank.ts";
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../json.ts";
import { invalidParameter, memberOf } from "./native.ts";

export const RERANK_PATH = "/api/v1/services/rerank/text-rerank/text-rerank";

export const RERANK_MODELS = ["gte-rerank-v2", "qwen3-rerank"].map((id) => ({
  id,
  owner: "system",
}));

const MAX_DOCUMENTS = 500;

/** Throws `NativeError` if the vendor refuses the request. */
export function rerank(body: Json | undefined): JsonObject {
  if (!isJsonObject(body)) throw invalidParameter("A POST with a JSON object is required.");
  if (!RERANK_MODELS.some(({ id }) => id === body["model"]))
    throw invalidParameter("Model not exist.");
  return answer(readQuestion(body));
}

export function queryIn(body: Json | undefined): string | undefined {
  const query = memberOf(memberOf(body, "input"), "query");
  return typeof query === "string" ? query : undefined;
}

interface RequestSpec {
  readonly query: string;
  readonly documents: readonly string[];
  readonly top: number;
  readonly shows: boolean;
}

function readQuestion(body: JsonObject): RequestSpec {
  const query = queryIn(body) ?? "";
  const given = memberOf(body["input"], "documents");
  const documents = isJsonArray(given) ? given.filter((one) => typeof one === "string") : [];
  if (query === "") throw invalidParameter("input.query is required.");
  if (!isJsonArray(given) || documents.length === 0 || documents.length !== given.length) {
    throw invalidParameter("input.documents must be a list of texts.");
  }
  if (documents.length > MAX_DOCUMENTS)
    throw invalidParameter(`At most ${MAX_DOCUMENTS} documents are allowed.`);
  const top = memberOf(body["parameters"], "top_n") ?? documents.length;
  if (typeof top !== "number" || !Number.isInteger(top) || top < 1) {
    throw invalidParameter("parameters.top_n must be a whole number above 0.");
  }
  const shows = memberOf(body["parameters"], "return_documents") === true;
  return { query, documents, top, shows };
}

function answer({ query, documents, top, shows }: RequestSpec): JsonObject {
  const results = rank(query, documents, top).map(({ index, score, document }) => ({
    index,
    relevance_score: score,
    ...(shows ? { document: { text: document } } : {}),
  }));
  return { output: { results }, usage: { total_tokens: countRanked(query, documents) } };
}
