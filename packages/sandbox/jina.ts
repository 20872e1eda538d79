import { countRanked, rank } from "./engine/rank.ts";
import { embed } from "./jina/embeddings.ts";
import { invalid, Refusal } from "./jina/refusal.ts";
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "./json.ts";
import type { VendorError, VendorFactory, VendorRequest } from "./vendor.ts";
import { jsonReply, type Reply } from "./wire/reply.ts";

const MAX_DOCUMENTS = 2_048;
const MODELS = ["jina-reranker-v3", "jina-reranker-v2-base-multilingual", "jina-reranker-m0"];

/** Jina's vectors and rankings: https://api.jina.ai/redoc */
export const jina: VendorFactory = ({ apiKeys }) => {
  function reply(request: VendorRequest): Reply {
    try {
      return jsonReply(200, route(request));
    } catch (cause) {
      if (cause instanceof Refusal) return cause.reply;
      throw cause;
    }
  }

  function route({ headers, path, method, body }: VendorRequest): JsonObject {
    const key = headers["authorization"]?.match(/^Bearer\s+(\S+)\s*$/i)?.[1];
    if (key === undefined || (apiKeys !== undefined && !apiKeys.includes(key))) {
      throw new Refusal(401, "Invalid API key.");
    }
    const answer = ENDPOINTS.get(path);
    if (answer === undefined) throw new Refusal(404, "Not Found");
    if (method !== "POST") throw new Refusal(405, "Method Not Allowed");
    if (!isJsonObject(body)) throw invalid("The body must be a JSON object.");
    return answer(body);
  }

  return {
    id: "jina",
    reply,
    lastUserText: (body) => textIn(body, "query") ?? textIn(body, "input") ?? "",
    errorBody,
    errorFrame: (error) => ({ kind: "error", data: JSON.stringify(errorBody(error)), tokens: 0 }),
  };
};

/** Throws `Refusal`. */
function ranked(body: JsonObject): JsonObject {
  const model = textIn(body, "model") ?? "";
  const query = textIn(body, "query") ?? "";
  const documents = documentsIn(body["documents"]);
  const { top_n: top = null, return_documents: shows = true } = body;
  if (!MODELS.includes(model)) throw invalid(`Model '${model}' not found.`);
  if (query === "") throw invalid("query: a query that is not empty is required.");
  if (documents.length === 0 || documents.length > MAX_DOCUMENTS) {
    throw invalid(`documents: from 1 to ${MAX_DOCUMENTS} documents are required.`);
  }
  if (top !== null && (typeof top !== "number" || !Number.isInteger(top) || top < 1)) {
    throw invalid("top_n: a whole number above 0 is required.");
  }
  const tokens = countRanked(query, documents);
  return {
    model,
    object: "list",
    usage: { total_tokens: tokens },
    results: rank(query, documents, top ?? documents.length).map(({ index, score, document }) => ({
      index,
      relevance_score: score,
      ...(shows === true ? { document: { text: document } } : {}),
    })),
  };
}

const ENDPOINTS: ReadonlyMap<string, (body: JsonObject) => JsonObject> = new Map([
  ["/v1/rerank", ranked],
  ["/v1/embeddings", embed],
]);

/** Texts, or objects with a text. Empty where one of them is neither. */
function documentsIn(value: Json | undefined): readonly string[] {
  if (!isJsonArray(value)) return [];
  const texts = value.map((one) => (typeof one === "string" ? one : textIn(one, "text")));
  const known = texts.filter((text) => text !== undefined);
  return known.length === texts.length ? known : [];
}

function textIn(value: Json | undefined, name: string): string | undefined {
  const member = isJsonObject(value) ? value[name] : undefined;
  return typeof member === "string" ? member : undefined;
}

function errorBody({ status, message }: VendorError): JsonObject {
  return { detail: message ?? `The request was answered with ${status}.` };
}
