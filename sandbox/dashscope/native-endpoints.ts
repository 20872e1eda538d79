import type { JsonObject } from "#sandbox/json.ts";
import type { PictureLinks } from "#sandbox/picture-links.ts";
import type { VendorOptions, VendorRequest } from "#sandbox/vendor.ts";
import { jsonReply, type Reply } from "#sandbox/wire/reply.ts";
import { GENERATION_PATH, qwenImages, SYNTHESIS_PATH, TASK_PATH } from "./images.ts";
import { checkKey, NativeError } from "./native.ts";
import { rerank, RERANK_PATH } from "./rerank.ts";

/** The vendor's own protocol, beside the compatible one: every answer carries the id of its request. */
export function nativeEndpoints(links: PictureLinks, options: VendorOptions) {
  const images = qwenImages(links, () => options.now());

  function answer(request: VendorRequest, key: string): JsonObject {
    const { method, path } = request;
    const task = path.match(TASK_PATH)?.[1];
    if (task !== undefined && method === "GET") return images.task(request, key, task);
    if (method === "POST") {
      if (path === RERANK_PATH) return rerank(request.body);
      if (path === GENERATION_PATH) return images.generate(request);
      if (path === SYNTHESIS_PATH) return images.submit(request, key);
    }
    throw new NativeError(404, "InvalidURL", "The requested URL is not found.");
  }

  return (
    request: VendorRequest,
    requestId: string,
    headers: Readonly<Record<string, string>>,
  ): Reply => {
    try {
      const key = checkKey(request.headers, options.apiKeys);
      const body = { ...answer(request, key), request_id: requestId };
      return jsonReply(200, body, headers);
    } catch (cause) {
      if (!(cause instanceof NativeError)) throw cause;
      return jsonReply(cause.status, cause.body(requestId), headers);
    }
  };
}
