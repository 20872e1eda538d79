import { countRanked, rank } from "./engine/rank.ts";
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "./json.ts";
import type { VendorError, VendorFactory, VendorRequest } from "./vendor.ts";
import { jsonReply, type Reply } from "./wire/reply.ts";

const MAX_DOCUMENTS = 2_048;
const MODELS = ["jina-reranker-v3", "jina-reranker-v2-base-multilingual", "jina-reranker-m0"];

/** Jina's rerankers: https://api.jina.ai/redoc */
export const jina: VendorFactory = ({ apiKeys }) => {
  function reply(request: VendorRequest): Reply {
    const key = request.headers["authorization"]?.match(/^Bearer\s+(\S+)\s*$/i)?.[1];
    if (key === undefined || (apiKeys !== undefined && !apiKeys.includes(key))) {
      return refusal(401, "Invalid API key.");
    }
    if (request.path !== "/v1/rerank") return refusal(404, "Not Found");
    if (request.method !== "POST") return refusal(405, "Method Not Allowed");
    return isJsonObject(request.body)
      ? answer(request.body)
      : refusal(422, "The body must be a JSON object.");
  }

  return {
    id: "jina",
    reply,
    lastUserText: (body) => textIn(body, "query") ?? "",
    errorBody,
    errorFrame: (error) => ({ kind: "error", data: JSON.stringify(errorBody(error)), tokens: 0 }),
  };
};

function answer(body: JsonObject): Reply {
  const model = textIn(body, "model") ?? "";
  const query = textIn(body, "query") ?? "";
  const documents = documentsIn(body["documents"]);
  const { top_n: top = null, return_documents: shows = true } = body;
  if (!MODELS.includes(model)) return refusal(422, `Model '${model}' not found.`);
  if (query === "") return refusal(422, "query: a query that is not empty is required.");
  if (documents.length === 0 || documents.length > MAX_DOCUMENTS) {
    return refusal(422, `documents: from 1 to ${MAX_DOCUMENTS} documents are required.`);
  }
  if (top !== null && (typeof top !== "number" || !Number.isInteger(top) || top < 1)) {
    return refusal(422, "top_n: a whole number above 0 is required.");
  }
  const tokens = countRanked(query, documents);
  return jsonReply(200, {
    model,
    object: "list",
    usage: { total_tokens: tokens },
    results: rank(query, documents, top ?? documents.length).map(({ index, score, document }) => ({
      index,
      relevance_score: score,
      ...(shows === true ? { document: { text: document } } : {}),
    })),
  });
}

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

function refusal(status: number, detail: string): Reply {
  return jsonReply(status, { detail });
}

function errorBody({ status, message }: VendorError): JsonObject {
  return { detail: message ?? `The request was answered with ${status}.` };
}
