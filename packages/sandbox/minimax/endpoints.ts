import { resultFiles } from "../engine/result-files.ts";
import { momentsOf, readMarks, stateOf, taskTable } from "../engine/tasks.ts";
import type { JsonObject } from "../json.ts";
import { ApiError } from "../openai/error.ts";
import { decodeSegment } from "../openai/routing.ts";
import type { VendorOptions, VendorRequest } from "../vendor.ts";
import { originOf } from "../wire/origin.ts";
import { jsonReply, type Reply } from "../wire/reply.ts";
import {
  invalidParams,
  LATE_MARKS,
  markedRefusal,
  refusalOf,
  refused,
  SUCCESS,
  type Version,
} from "./error.ts";
import { newTaskId, type MinimaxOrder, type MinimaxTask } from "./order.ts";
import { callbackBody, fileBody, taskIdOf, v1Body } from "./v1/bodies.ts";
import { readV1Request } from "./v1/request.ts";
import { readV2Request } from "./v2/request.ts";
import { v2Body } from "./v2/task-body.ts";

/** Both versions, over one table of tasks. */
export function minimaxEndpoints(options: VendorOptions) {
  const { now, tasks: settings, callbacks } = options;
  const table = taskTable<MinimaxOrder>(options);
  const files = resultFiles({ vendor: "minimax", now });

  async function route(request: VendorRequest): Promise<JsonObject> {
    const owner = readKey(request, options.apiKeys);
    const { method, path, query, body } = request;
    if (method === "POST" && path === "/v2/video_generation")
      return { task_id: create(request, owner, readV2Request(body)).id };
    const asked = /^\/v2\/query\/video_generation\/([^/]+)$/.exec(path)?.[1];
    if (method === "GET" && asked !== undefined) {
      const task = getTask(decodeSegment(asked), owner, "v2");
      return v2Body(task, now(), results(V2_LINK_SECONDS));
    }
    if (method === "POST" && path === "/v1/video_generation") return createV1(request, owner);
    if (method === "GET" && path === "/v1/query/video_generation")
      return v1Body(getTask(query.get("task_id") ?? "", owner, "v1"), now());
    if (method === "GET" && path === "/v1/files/retrieve")
      return getFile(query.get("file_id") ?? "", owner);
    throw new ApiError(404, { message: `there is nothing at ${method} ${path}` });
  }

  async function createV1(request: VendorRequest, owner: string): Promise<JsonObject> {
    const order = readV1Request(request.body);
    const { callbackUrl } = order;
    const challenge = crypto.randomUUID();
    if (callbackUrl !== undefined && !(await callbacks.isEchoed(callbackUrl, { challenge }, 3_000)))
      throw invalidParams("callback_url did not give the challenge back");
    const task = create(request, owner, order);
    if (callbackUrl !== undefined) tell(task, callbackUrl);
    return { task_id: task.id, ...SUCCESS };
  }

  function create(request: VendorRequest, owner: string, order: MinimaxOrder): MinimaxTask {
    const refusal = markedRefusal(readMarks(order.prompt));
    if (refusal !== undefined) throw refusal;
    if (table.countOpen(owner) >= (settings.parallel ?? Infinity)) throw refused(1002);
    const task = table.open({
      id: newTaskId(),
      owner,
      requested: order,
      origin: originOf(request),
      prompt: order.prompt,
      failures: LATE_MARKS,
    });
    if (task.marks.has("timeout")) throw refused(1001);
    return task;
  }

  /** Nothing is told of the wait before it runs. */
  function tell(task: MinimaxTask, url: string): void {
    callbacks.follow({
      url,
      moments: momentsOf(task).slice(1),
      message: (at) => ({ body: callbackBody(task, at) }),
      timeoutMs: 3_000,
      retryMs: [1_000, 1_000, 1_000],
      isRetried: (status) => status !== 200,
    });
  }

  async function getFile(id: string, owner: string): Promise<JsonObject> {
    const task = getTask(taskIdOf(id), owner, "v1");
    if (stateOf(task, now()).phase !== "succeeded") throw invalidParams("file_id does not exist");
    return fileBody(task, now(), results(V1_LINK_SECONDS));
  }

  function getTask(id: string, owner: string, version: Version): MinimaxTask {
    const task = table.find(id, owner);
    const isKept = task !== undefined && now() < task.createdAt + KEPT_MS;
    if (isKept && task.requested.version === version) return task;
    throw new ApiError(404, { message: `task ${id} does not exist` });
  }

  const results = (usualSeconds: number) => ({
    files,
    validSeconds: settings.linkSeconds ?? usualSeconds,
  });

  return async function reply(request: VendorRequest): Promise<Reply> {
    const file = files.reply(request);
    if (file !== undefined) return file;
    try {
      return jsonReply(200, await route(request));
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      const { status, body } = refusalOf(cause, versionIn(request.path));
      return jsonReply(status, body);
    }
  };
}

export function versionIn(path: string): Version {
  return path.startsWith("/v1/") ? "v1" : "v2";
}

/** Seven days. */
const KEPT_MS = 604_800_000;
const V1_LINK_SECONDS = 9 * 3_600;
const V2_LINK_SECONDS = 86_400;

function readKey({ headers }: VendorRequest, apiKeys: readonly string[] | undefined): string {
  const key = /^Bearer\s+(\S+)$/i.exec(headers["authorization"]?.trim() ?? "")?.[1];
  if (key === undefined) throw refused(1004);
  if (apiKeys !== undefined && !apiKeys.includes(key)) throw refused(2049);
  return key;
}
