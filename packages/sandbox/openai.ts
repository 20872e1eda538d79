import { resultFiles } from "./engine/result-files.ts";
import { audioEndpoint } from "./openai/audio/endpoint.ts";
import { chatEndpoint } from "./openai/chat-endpoint.ts";
import { TERMINATOR } from "./openai/chunks.ts";
import { checkCredential } from "./openai/credential.ts";
import { embeddings } from "./openai/embeddings.ts";
import { ApiError, orderedError } from "./openai/error.ts";
import { lastUserText } from "./openai/last-user-text.ts";
import { findListed, listModels, modelBody } from "./openai/models.ts";
import { moderations } from "./openai/moderations.ts";
import { OPENAI } from "./openai/openai-dialect.ts";
import { picturesEndpoint } from "./openai/pictures/endpoint.ts";
import { responsesEndpoint } from "./openai/responses/endpoint.ts";
import { checkContentType, decodeSegment, only } from "./openai/routing.ts";
import { standardHeaders } from "./openai/standard-headers.ts";
import { pictureLinks } from "./picture-links.ts";
import { videosEndpoint } from "./openai/videos/endpoint.ts";
import type { VendorFactory, VendorRequest } from "./vendor.ts";
import { jsonReply, type Reply } from "./wire/reply.ts";

/**
 * OpenAI's chat completions, responses, embeddings, pictures, sound, moderations, videos and models:
 * https://platform.openai.com/docs/api-reference
 */
export const openai: VendorFactory = (options) => {
  const chat = chatEndpoint(OPENAI, options);
  const responses = responsesEndpoint(options);
  const now = () => options.now();
  const files = resultFiles({ vendor: "openai", now });
  const pictures = picturesEndpoint(pictureLinks(files, now, HOUR_SECONDS), now);

  const videos = videosEndpoint(options);

  async function reply(request: VendorRequest): Promise<Reply> {
    const file = files.reply(request);
    if (file !== undefined) return file;
    const headers = standardHeaders();
    try {
      const key = checkCredential(request.headers, options.apiKeys);
      return (await videos(request, headers, key)) ?? (await route(request, headers, key));
    } catch (cause) {
      if (cause instanceof ApiError) return jsonReply(cause.status, cause.body, headers);
      throw cause;
    }
  }

  function route(request: VendorRequest, headers: Headers, key: string): Reply | Promise<Reply> {
    const { method, path } = request;
    const other = pictures(request, headers) ?? audioEndpoint(request, headers);
    if (other !== undefined) return other;
    const model = path.match(/^\/v1\/models\/([^/]+)$/)?.[1];
    if (path === "/v1/chat/completions") {
      return only("POST", request, () => {
        checkContentType(request);
        return chat(request, headers);
      });
    }
    if (path === "/v1/embeddings") {
      return only("POST", request, () => {
        checkContentType(request);
        return jsonReply(200, embeddings(request.body), headers);
      });
    }
    if (path === "/v1/moderations") {
      return only("POST", request, () => {
        checkContentType(request);
        return jsonReply(200, moderations(request.body), headers);
      });
    }
    if (/^\/v1\/responses(?:\/|$)/.test(path)) return responses(request, headers, key);
    if (path === "/v1/models")
      return only("GET", request, () => jsonReply(200, listModels(), headers));
    if (model !== undefined)
      return only("GET", request, () => jsonReply(200, modelBody(getModel(model)), headers));
    throw new ApiError(404, { message: `Invalid URL (${method} ${path})` });
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

const HOUR_SECONDS = 3_600;

type Headers = Readonly<Record<string, string>>;

function getModel(segment: string) {
  const id = decodeSegment(segment);
  const model = findListed(id);
  if (model !== undefined) return model;
  throw new ApiError(404, {
    message: `The model '${id}' does not exist`,
    param: "model",
    code: "model_not_found",
  });
}
