import { applyEdits } from "./anthropic/apply-edits.ts";
import { checkCredential } from "./anthropic/credential.ts";
import { ApiError, invalid, notFound, orderedError } from "./anthropic/error.ts";
import { MESSAGE_STOP, messageEvents } from "./anthropic/events.ts";
import { newId } from "./anthropic/ids.ts";
import { message } from "./anthropic/message.ts";
import { messageReply } from "./anthropic/message-reply.ts";
import { getModel, listModels } from "./anthropic/model-list.ts";
import { promptCache } from "./anthropic/prompt-cache.ts";
import { promptSegments, totalTokens } from "./anthropic/prompt-segments.ts";
import {
  readCountRequest,
  readMessagesRequest,
  type Caller,
  type PromptRequest,
} from "./anthropic/request.ts";
import { readHeaders } from "./anthropic/request-headers.ts";
import { standardHeaders } from "./anthropic/standard-headers.ts";
import { isJsonArray, isJsonObject, type Json } from "./json.ts";
import type { VendorFactory, VendorRequest } from "./vendor.ts";
import { eventsReply, jsonReply, type Reply } from "./wire/reply.ts";

/** Anthropic's messages, their tokens, and the models: https://docs.anthropic.com/en/api/messages */
export const anthropic: VendorFactory = (options) => {
  const cache = promptCache(options.now);

  function reply(request: VendorRequest): Reply {
    const headers = standardHeaders(options.now());
    try {
      if (request.bytes.length > MAX_BODY_BYTES)
        throw new ApiError(413, "request_too_large", "Request exceeds the maximum size");
      const account = checkCredential(request.headers, options.apiKeys);
      return route(request, { ...readHeaders(request.headers), account }, headers);
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      const body = cause.body(headers["request-id"] ?? "");
      return jsonReply(cause.status, body, { ...headers, "x-should-retry": "false" });
    }
  }

  function route(request: VendorRequest, caller: Caller, headers: Headers): Reply {
    const { path, query } = request;
    const model = path.match(/^\/v1\/models\/([^/]+)$/)?.[1];
    if (path === "/v1/messages")
      return only("POST", request, () => answer(request, caller, headers));
    if (path === "/v1/messages/count_tokens")
      return only("POST", request, () => jsonReply(200, count(request, caller), headers));
    if (path === "/v1/models")
      return only("GET", request, () => jsonReply(200, listModels(query), headers));
    if (model !== undefined)
      return only("GET", request, () => jsonReply(200, getModel(decodeSegment(model)), headers));
    throw notFound("Not Found");
  }

  function answer({ body, faults }: VendorRequest, caller: Caller, headers: Headers): Reply {
    const request = readMessagesRequest(body, caller);
    const { segments, applied } = applyEdits(request, promptSegments(request));
    const total = totalTokens(segments);
    const contextTokens = contextOf(request);
    checkContext(request, total, contextTokens, request.maxTokens);
    const made = messageReply(request, faults, options.now(), {
      totalTokens: total,
      contextTokens,
      cache: cache.visit(request.model, segments),
      applied,
    });
    return request.isStream ? eventsReply(messageEvents(made), headers) : message(made, headers);
  }

  function count({ body }: VendorRequest, caller: Caller): Json {
    const request = readCountRequest(body, caller);
    const segments = promptSegments(request);
    const tokens = totalTokens(applyEdits(request, segments).segments);
    if (request.edits === undefined) return { input_tokens: tokens };
    const original = { original_input_tokens: totalTokens(segments) };
    return { input_tokens: tokens, context_management: original };
  }

  return {
    id: "anthropic",
    reply,
    lastUserText,
    errorBody: (error) => orderedError(error, newId("req")),
    errorFrame: (error) => ({
      kind: "error",
      event: "error",
      data: JSON.stringify(orderedError(error, newId("req"))),
      tokens: 0,
    }),
    terminator: MESSAGE_STOP,
  };
};

type Headers = Readonly<Record<string, string>>;

const MAX_BODY_BYTES = 32 * 1_048_576;

function only(wanted: string, { method }: VendorRequest, answer: () => Reply): Reply {
  if (method === wanted) return answer();
  throw new ApiError(405, "invalid_request_error", "Method Not Allowed");
}

function contextOf({ model, betas }: PromptRequest): number {
  return betas.has("context-1m-2025-08-07") ? model.longContextTokens : model.contextTokens;
}

function checkContext(
  { model }: PromptRequest,
  total: number,
  most: number,
  maxTokens: number,
): void {
  if (total > most) throw invalid("", `prompt is too long: ${total} tokens > ${most} maximum`);
  if (!model.isContextRefused || total + maxTokens <= most) return;
  throw invalid(
    "",
    `input length and \`max_tokens\` exceed context limit: ${total} + ${maxTokens} > ${most}, decrease input length or \`max_tokens\` and try again`,
  );
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Messages of the user also carry results of tools, whose text is not the user's. */
function lastUserText(body: Json | undefined): string {
  const messages = isJsonObject(body) && isJsonArray(body["messages"]) ? body["messages"] : [];
  const said = messages.map((message) =>
    isJsonObject(message) && message["role"] === "user" ? textOf(message["content"]) : "",
  );
  return said.findLast((text) => text !== "") ?? "";
}

function textOf(content: Json | undefined): string {
  if (typeof content === "string") return content;
  const blocks = isJsonArray(content) ? content : [];
  return blocks
    .map((block) => (isJsonObject(block) && typeof block["text"] === "string" ? block["text"] : ""))
    .filter((text) => text !== "")
    .join("\n");
}
