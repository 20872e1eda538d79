import type { ResultFiles } from "../engine/result-files.ts";
import type { JsonObject } from "../json.ts";
import type { VendorOptions, VendorRequest } from "../vendor.ts";
import { jsonReply, type Reply } from "../wire/reply.ts";
import { GENERATION_PATH, qwenImages, SYNTHESIS_PATH } from "./images.ts";
import { checkKey, NativeError } from "./native.ts";
import { rerank, RERANK_PATH } from "./rerank.ts";
import { dashscopeTasks, type Caller } from "./tasks.ts";
import { VIDEO_PATHS, wanVideos } from "./videos/wish.ts";

/** The vendor's own protocol, beside the compatible one: every answer carries the id of its request. */
export function nativeEndpoints(files: ResultFiles, options: VendorOptions) {
  const images = qwenImages(files, () => options.now());
  const videos = wanVideos(files, options);
  const tasks = dashscopeTasks(options);

  function answer(request: VendorRequest, caller: Caller): JsonObject {
    const { method, path, query } = request;
    const { key } = caller;
    if (method === "POST") {
      if (path === RERANK_PATH) return rerank(request.body);
      if (path === GENERATION_PATH) return images.generate(request);
      if (path === SYNTHESIS_PATH)
        return tasks.submit(request, caller, () => images.requested(request));
      const service = VIDEO_PATHS.get(path);
      if (service !== undefined)
        return tasks.submit(request, caller, () => videos.requested(request, service));
    }
    if (method === "GET" && /^\/api\/v1\/tasks\/?$/.test(path)) return tasks.list(key, query);
    const [, id, verb] = /^\/api\/v1\/tasks\/([\w-]{1,64})(\/cancel)?$/.exec(path) ?? [];
    if (id !== undefined && verb === undefined && method === "GET")
      return tasks.get(request, key, id);
    if (id !== undefined && verb !== undefined && method === "POST") return tasks.cancel(key, id);
    throw new NativeError(404, "InvalidURL", "The requested URL is not found.");
  }

  return (
    request: VendorRequest,
    requestId: string,
    headers: Readonly<Record<string, string>>,
  ): Reply => {
    try {
      const key = checkKey(request.headers, options.apiKeys);
      const body = { ...answer(request, { key, requestId }), request_id: requestId };
      return jsonReply(200, body, headers);
    } catch (cause) {
      if (!(cause instanceof NativeError)) throw cause;
      return jsonReply(cause.status, cause.body(requestId), headers);
    }
  };
}
