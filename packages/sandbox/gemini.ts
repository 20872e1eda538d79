import { failed, json, nowhere, stream } from "./gemini/answers.ts";
import { modelIn, readAddress, type Address } from "./gemini/address.ts";
import { cachedContents } from "./gemini/cached-contents.ts";
import { checkCredential } from "./gemini/credential.ts";
import { EMBED_VERBS, embed } from "./gemini/embeddings.ts";
import { ApiError, orderedError } from "./gemini/error.ts";
import { generate } from "./gemini/generation.ts";
import { predict } from "./gemini/imagen.ts";
import { lastUserText } from "./gemini/last-user-text.ts";
import { getModel, listModels, modelFor } from "./gemini/model-list.ts";
import { promptText, tokensDetails } from "./gemini/prompt-tokens.ts";
import { checkQuery, wantsEvents } from "./gemini/query.ts";
import { readCountRequest, readGenerateRequest, type GenerateRequest } from "./gemini/request.ts";
import { veoEndpoints } from "./gemini/veo/endpoints.ts";
import { ARRAY_END, streamFrames } from "./gemini/streamed.ts";
import { wholeReply } from "./gemini/whole.ts";
import { resultFiles } from "./engine/result-files.ts";
import { prefixCache } from "./prefix-cache.ts";
import type { VendorFactory, VendorRequest } from "./vendor.ts";
import type { Frame } from "./wire/frame.ts";
import type { Reply } from "./wire/reply.ts";

/** Google's own generateContent, embeddings, Imagen, Veo, models and cached contents: https://ai.google.dev/api */
export const gemini: VendorFactory = (options) => {
  const prefixes = prefixCache();
  const caches = cachedContents(options.now);
  const now = () => options.now();
  const files = resultFiles({ vendor: "gemini", now, prefix: "X-Goog-" });
  const veo = veoEndpoints(files, options);

  async function reply(request: VendorRequest): Promise<Reply> {
    const file = files.reply(request);
    if (file !== undefined) return file;
    const address = readAddress(request.path);
    if (address === undefined) return nowhere(request.path);
    try {
      const owner = checkCredential(request.headers, request.query, options.apiKeys);
      return (await route(address, request, owner)) ?? nowhere(request.path);
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      return failed(cause.status, cause.body, streamForm(address, request));
    }
  }

  /** Nothing where the vendor has nothing: it answers so to a wrong method, too. */
  async function route(
    address: Address,
    request: VendorRequest,
    owner: string,
  ): Promise<Reply | undefined> {
    const { method, query, body } = request;
    switch (address.kind) {
      case "models":
        if (method !== "GET") return undefined;
        checkQuery(query, PAGING);
        return json(200, listModels(query));
      case "model":
        if (method !== "GET") return undefined;
        checkQuery(query);
        return json(200, getModel(address.model, address.version));
      case "call":
        return method === "POST" ? call(address, request, owner) : undefined;
      case "caches":
        checkQuery(query, PAGING);
        if (method === "POST") return json(200, caches.create(body, address.version));
        return method === "GET" ? json(200, caches.list(query)) : undefined;
      case "cache":
        checkQuery(query, UPDATING);
        if (method === "GET") return json(200, caches.get(address.name));
        if (method === "PATCH") return json(200, caches.update(address.name, body));
        return method === "DELETE" ? json(200, caches.remove(address.name)) : undefined;
      case "operation":
        if (method !== "GET") return undefined;
        checkQuery(query);
        return json(200, await veo.get(`models/${address.model}/operations/${address.id}`, owner));
      case "download":
        if (method !== "GET") return undefined;
        checkQuery(query);
        return veo.download(request, owner, address.id);
      case "project call": {
        checkQuery(query);
        const answer = await veo.project(request, owner, address);
        return answer === undefined ? undefined : json(200, answer);
      }
    }
  }

  function call(
    address: Extract<Address, { kind: "call" }>,
    request: VendorRequest,
    owner: string,
  ): Reply | undefined {
    const { verb, version } = address;
    if (![...VERBS, ...EMBED_VERBS, "predict", "predictLongRunning"].includes(verb))
      return undefined;
    checkQuery(request.query);
    if (verb === "predictLongRunning")
      return json(200, veo.order(request, owner, `models/${address.model}`, "gemini"));
    if (EMBED_VERBS.includes(verb)) {
      return json(200, embed(address.model, verb, version, request.body));
    }
    if (verb === "predict") return json(200, predict(address.model, version, request.body));
    const method = verb === "countTokens" ? verb : "generateContent";
    const model = modelFor(address.model, method, version);
    if (verb === "countTokens") {
      const { tokens, cached } = readCountRequest(request.body, model, caches);
      return json(200, {
        totalTokens: tokens.total,
        ...(cached === undefined ? {} : { cachedContentTokenCount: cached.tokens }),
        promptTokensDetails: tokensDetails(tokens),
      });
    }

    const asked = readGenerateRequest(request.body, model, caches);
    const generation = generate(asked, request.faults, cachedTokens(asked));
    const form = streamForm(address, request);
    if (form === undefined) return wholeReply(generation);
    const frames = streamFrames(generation);
    return stream(form === "array" ? closed(frames) : frames, form);
  }

  /** What was cached on request, or what was seen before anyway. */
  function cachedTokens({ model, prompt, cached, tokens }: GenerateRequest): number {
    const seen = prefixes.visit(`${model.id}\n${promptText(prompt)}`);
    return Math.min(tokens.total, Math.max(seen, cached?.tokens ?? 0));
  }

  return {
    id: "gemini",
    reply,
    lastUserText,
    modelIn,
    errorBody: orderedError,
    errorFrame: (error) => ({
      kind: "error",
      data: JSON.stringify(orderedError(error)),
      tokens: 0,
    }),
  };
};

const VERBS: readonly string[] = ["generateContent", "streamGenerateContent", "countTokens"];
const PAGING: readonly string[] = ["pageSize", "pageToken", "page_size", "page_token"];
const UPDATING: readonly string[] = ["updateMask", "update_mask"];

/** A stream is one whatever it is asked for; nothing else is. */
function streamForm(address: Address, { query }: VendorRequest): "crlf" | "array" | undefined {
  if (address.kind !== "call" || address.verb !== "streamGenerateContent") return undefined;
  return wantsEvents(query) ? "crlf" : "array";
}

function* closed(frames: Iterable<Frame>): Generator<Frame> {
  yield* frames;
  yield ARRAY_END;
}
