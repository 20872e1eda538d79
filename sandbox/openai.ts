import { prefixCache } from "./prefix-cache.ts";
import { isJsonArray, isJsonObject, type Json } from "./json.ts";
import { chatReply } from "./openai/chat-reply.ts";
import { chunkFrames, TERMINATOR } from "./openai/chunks.ts";
import { completion } from "./openai/completion.ts";
import { checkCredential } from "./openai/credential.ts";
import { ApiError, invalid, orderedError } from "./openai/error.ts";
import { findModel, listModels, modelBody } from "./openai/models.ts";
import { countPromptTokens, messageText } from "./openai/prompt-tokens.ts";
import { readChatRequest, type ChatRequest } from "./openai/request.ts";
import { standardHeaders } from "./openai/standard-headers.ts";
import type { VendorFactory, VendorRequest } from "./vendor.ts";
import { eventsReply, jsonReply, type Reply } from "./wire/reply.ts";

/** OpenAI's chat completions and models: https://platform.openai.com/docs/api-reference/chat */
export const openai: VendorFactory = (options) => {
  const cache = prefixCache();

  function reply(request: VendorRequest): Reply {
    const headers = standardHeaders();
    try {
      checkCredential(request.headers, options.apiKeys);
      return route(request, headers);
    } catch (cause) {
      if (cause instanceof ApiError) return jsonReply(cause.status, cause.body, headers);
      throw cause;
    }
  }

  function route(request: VendorRequest, headers: Readonly<Record<string, string>>): Reply {
    const { method, path } = request;
    const model = path.match(/^\/v1\/models\/([^/]+)$/)?.[1];
    if (path === "/v1/chat/completions") return only("POST", request, () => chat(request, headers));
    if (path === "/v1/models")
      return only("GET", request, () => jsonReply(200, listModels(), headers));
    if (model !== undefined)
      return only("GET", request, () => jsonReply(200, modelBody(getModel(model)), headers));
    throw new ApiError(404, { message: `Invalid URL (${method} ${path})` });
  }

  function chat(call: VendorRequest, headers: Readonly<Record<string, string>>): Reply {
    checkContentType(call);
    const request = readChatRequest(call.body);
    const prompt = countPromptTokens(request.messages, request.toolsText);
    checkContext(request, prompt.total);
    const cachedTokens = cache.visit(
      `${request.model.id}\n${request.toolsText}\n${request.messages.map(messageText).join("\n")}`,
    );
    const answer = chatReply(request, call.faults, options.now(), { prompt, cachedTokens });
    return request.isStream
      ? eventsReply(chunkFrames(answer), headers)
      : completion(answer, headers);
  }

  return {
    id: "openai",
    reply,
    lastUserText,
    errorBody: orderedError,
    errorFrame: (error) => ({
      kind: "error",
      data: JSON.stringify(orderedError(error)),
      tokens: 0,
    }),
    terminator: TERMINATOR,
  };
};

function only(wanted: string, { method, path }: VendorRequest, answer: () => Reply): Reply {
  if (method === wanted) return answer();
  throw new ApiError(405, {
    message: `Not allowed to ${method} on ${path}.`,
    code: "method_not_supported",
  });
}

function getModel(segment: string) {
  const id = decodeSegment(segment);
  const model = findModel(id);
  if (model !== undefined) return model;
  throw new ApiError(404, {
    message: `The model '${id}' does not exist`,
    param: "model",
    code: "model_not_found",
  });
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function checkContentType({ headers }: VendorRequest): void {
  const type = headers["content-type"];
  if (type !== undefined && /^application\/(?:[\w.-]+\+)?json\b/i.test(type)) return;
  throw new ApiError(415, {
    message: `Unsupported content type: '${type ?? ""}'. This endpoint needs 'application/json'.`,
    code: "unsupported_content_type",
  });
}

function checkContext({ model }: ChatRequest, total: number): void {
  if (total <= model.contextTokens) return;
  throw invalid(
    "messages",
    "context_length_exceeded",
    `This model's maximum context length is ${model.contextTokens} tokens. However, your messages resulted in ${total} tokens.`,
  );
}

function lastUserText(body: Json | undefined): string {
  const messages = isJsonObject(body) && isJsonArray(body["messages"]) ? body["messages"] : [];
  const last = messages.findLast((message) => isJsonObject(message) && message["role"] === "user");
  const content = isJsonObject(last) ? last["content"] : undefined;
  if (typeof content === "string") return content;
  const parts = isJsonArray(content) ? content : [];
  return parts
    .map((part) => (isJsonObject(part) && typeof part["text"] === "string" ? part["text"] : ""))
    .join("\n");
}
