import { countRanked, rank } from "#sandbox/engine/rank.ts";
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "#sandbox/json.ts";
import type { VendorRequest } from "#sandbox/vendor.ts";
import { jsonReply, type Reply } from "#sandbox/wire/reply.ts";

export const RERANK_PATH = "/api/v1/services/rerank/text-rerank/text-rerank";

export const RERANK_MODELS = ["gte-rerank-v2", "qwen3-rerank"].map((id) => ({
  id,
  owner: "system",
}));

const MAX_DOCUMENTS = 500;

/** The vendor's own protocol, beside the compatible one: other fields, and other errors. */
export function answerRerank(
  request: VendorRequest,
  apiKeys: readonly string[] | undefined,
  requestId: string,
): Reply {
  const refuse = (status: number, code: string, message: string): Reply =>
    jsonReply(status, { code, message, request_id: requestId });
  const { headers, method, body } = request;
  const key = headers["authorization"]?.match(/^Bearer\s+(\S+)\s*$/i)?.[1];
  if (key === undefined || (apiKeys !== undefined && !apiKeys.includes(key))) {
    return refuse(401, "InvalidApiKey", "Invalid API-key provided.");
  }
  const model = memberOf(body, "model");
  if (method !== "POST" || !isJsonObject(body)) {
    return refuse(400, INVALID, "A POST with a JSON object is required.");
  }
  if (!RERANK_MODELS.some(({ id }) => id === model)) {
    return refuse(400, INVALID, "Model not exist.");
  }
  const question = readQuestion(body);
  return typeof question === "string"
    ? refuse(400, INVALID, question)
    : jsonReply(200, { ...answer(question), request_id: requestId });
}

const INVALID = "InvalidParameter";

export function queryIn(body: Json | undefined): string | undefined {
  const query = memberOf(memberOf(body, "input"), "query");
  return typeof query === "string" ? query : undefined;
}

interface Question {
  readonly query: string;
  readonly documents: readonly string[];
  readonly top: number;
  readonly shows: boolean;
}

/** What is wrong with it, where something is. */
function readQuestion(body: JsonObject): Question | string {
  const query = queryIn(body) ?? "";
  const given = memberOf(body["input"], "documents");
  const documents = isJsonArray(given) ? given.filter((one) => typeof one === "string") : [];
  if (query === "") return "input.query is required.";
  if (!isJsonArray(given) || documents.length === 0 || documents.length !== given.length) {
    return "input.documents must be a list of texts.";
  }
  if (documents.length > MAX_DOCUMENTS) return `At most ${MAX_DOCUMENTS} documents are allowed.`;
  const top = memberOf(body["parameters"], "top_n") ?? documents.length;
  if (typeof top !== "number" || !Number.isInteger(top) || top < 1) {
    return "parameters.top_n must be a whole number above 0.";
  }
  const shows = memberOf(body["parameters"], "return_documents") === true;
  return { query, documents, top, shows };
}

function answer({ query, documents, top, shows }: Question): JsonObject {
  const results = rank(query, documents, top).map(({ index, score, document }) => ({
    index,
    relevance_score: score,
    ...(shows ? { document: { text: document } } : {}),
  }));
  return { output: { results }, usage: { total_tokens: countRanked(query, documents) } };
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  return isJsonObject(value) ? value[name] : undefined;
}
