import { prefixCache } from "../prefix-cache.ts";
import type { JsonObject } from "../json.ts";
import type { Vendor, VendorError, VendorOptions, VendorRequest } from "../vendor.ts";
import { jsonReply, type Reply } from "../wire/reply.ts";
import { chatEndpoint } from "./chat-endpoint.ts";
import { TERMINATOR } from "./chunks.ts";
import { checkCredential } from "./credential.ts";
import type { ChatDialect } from "./dialect.ts";
import { ApiError, type ErrorDetail } from "./error.ts";
import { lastUserText } from "./last-user-text.ts";
import { modelBody, type ListedModel } from "./models.ts";
import { checkContentType, decodeSegment, only } from "./routing.ts";

/** A vendor that speaks the chat protocol under an address of its own, with its own errors. */
interface CompatibleVendor {
  readonly id: string;
  /** Prefix of `/chat/completions` and `/models`. */
  readonly base: string;
  readonly dialect: ChatDialect;
  readonly models: readonly ListedModel[];
  /** The fewest tokens that its cache remembers. */
  readonly cacheFromTokens: number;
  newRequestId(now: number): string;
  headers(requestId: string): Readonly<Record<string, string>>;
  refusal(status: number, detail: ErrorDetail, requestId: string): JsonObject;
  /** The same for an error that was ordered as a fault. */
  failure(error: VendorError, requestId: string): JsonObject;
  /** Responses beyond the protocol; `undefined` for other paths. */
  besides?(request: VendorRequest, headers: Readonly<Record<string, string>>): Reply | undefined;
}

export function compatibleVendor(vendor: CompatibleVendor, options: VendorOptions): Vendor {
  const { base, dialect, models } = vendor;
  const cache = prefixCache({ firstTokens: vendor.cacheFromTokens });
  const chat = chatEndpoint(dialect, { now: () => options.now(), cache });

  function reply(request: VendorRequest): Reply {
    const requestId = vendor.newRequestId(options.now());
    const headers = vendor.headers(requestId);
    try {
      checkCredential(request.headers, options.apiKeys);
      return vendor.besides?.(request, headers) ?? route(request, headers);
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      const body = vendor.refusal(cause.status, cause.detail, requestId);
      return jsonReply(cause.status, body, headers);
    }
  }

  function route(request: VendorRequest, headers: Readonly<Record<string, string>>): Reply {
    const { method, path } = request;
    if (path === `${base}/chat/completions`) {
      return only("POST", request, () => {
        checkContentType(request);
        return chat(request, headers);
      });
    }
    if (path === `${base}/models`) {
      const list = { object: "list", data: models.map(modelBody) };
      return only("GET", request, () => jsonReply(200, list, headers));
    }
    if (path.startsWith(`${base}/models/`)) {
      const id = decodeSegment(path.slice(`${base}/models/`.length));
      return only("GET", request, () => jsonReply(200, modelBody(getModel(id)), headers));
    }
    throw new ApiError(404, { message: `Invalid URL (${method} ${path})` });
  }

  function getModel(id: string): ListedModel {
    const found = models.find((model) => model.id === id) ?? dialect.request.findModel(id);
    if (found !== undefined) return found;
    throw new ApiError(404, {
      message: `The model \`${id}\` does not exist or you do not have access to it.`,
      code: "model_not_found",
    });
  }

  const failure = (error: VendorError) => vendor.failure(error, vendor.newRequestId(options.now()));
  return {
    id: vendor.id,
    reply,
    lastUserText,
    errorBody: failure,
    errorFrame: (error) => ({ kind: "error", data: JSON.stringify(failure(error)), tokens: 0 }),
    terminator: TERMINATOR,
  };
}
