import { locationOf } from "../account.ts";
import type { AssetLibrary } from "../assets/library.ts";
import { newId, newRequestId } from "../ids.ts";
import type { ResultFiles } from "@sluice/sandbox/engine/result-files.ts";
import { momentsOf, stateOf, taskTable } from "@sluice/sandbox/engine/tasks.ts";
import { checkCredential } from "@sluice/sandbox/openai/credential.ts";
import { ApiError } from "@sluice/sandbox/openai/error.ts";
import { checkContentType, decodeSegment } from "@sluice/sandbox/openai/routing.ts";
import type { VendorOptions, VendorRequest } from "@sluice/sandbox/vendor.ts";
import { originOf } from "@sluice/sandbox/wire/origin.ts";
import { jsonReply, type Reply } from "@sluice/sandbox/wire/reply.ts";
import { usableAsset } from "./asset-reference.ts";
import { invalidField, refusedAs, taskRefusal } from "./error.ts";
import { listTasks } from "./list.ts";
import { ASYNC_FAILURES, TIMEOUT } from "./marks.ts";
import { readVideoRequest, type PlacedOrder, type VideoOrder } from "./request.ts";
import { taskBody, type VideoTask } from "./task-body.ts";

export const TASKS_PATH = "/api/v3/contents/generations/tasks";

/** Videos are ordered, asked for and fetched: https://www.volcengine.com/docs/82379/1520758 */
export function videoTasks({ files, library, options }: VideoTasksOptions) {
  const { now, tasks: settings, callbacks } = options;
  const table = taskTable<PlacedOrder>(options);

  function route(request: VendorRequest, key: string, requestId: string): Reply {
    const { method, path, query } = request;
    const headers = { "x-request-id": requestId };
    if (path === TASKS_PATH) {
      if (method === "POST") return jsonReply(200, create(request, key, requestId), headers);
      if (method === "GET") {
        const alive = table.list(key).filter(isKept);
        return jsonReply(200, listTasks(alive, query, now(), bodyOf), headers);
      }
    }
    const id = decodeSegment(path.slice(TASKS_PATH.length + 1));
    if (path.startsWith(`${TASKS_PATH}/`) && method === "GET")
      return jsonReply(200, bodyOf(getTask(id, key)), headers);
    if (path.startsWith(`${TASKS_PATH}/`) && method === "DELETE") {
      remove(getTask(id, key));
      return jsonReply(200, {}, headers);
    }
    throw new ApiError(404, { message: `Invalid URL (${method} ${path})` });
  }

  function create(request: VendorRequest, owner: string, requestId: string) {
    checkContentType(request);
    const order = readVideoRequest(request.body, {
      findDraft: (id) => findDraft(id, owner),
      findAsset: (id) => usableAsset(library, id, locationOf(owner)),
    });
    if (table.countOpen(owner) >= (settings.parallel ?? Infinity))
      throw refusedAs("QuotaExceeded", "The request failed because too many tasks are queued.");
    const task = table.open({
      id: newId("cgt", now()),
      owner,
      requested: { ...order, requestId },
      origin: originOf(request),
      prompt: order.prompt,
      failures: ASYNC_FAILURES,
      expiresAfterMs: order.expiresAfterSeconds * 1_000,
    });
    follow(task);
    if (task.marks.has("timeout")) throw new ApiError(504, TIMEOUT);
    const { safetyIdentifier } = order;
    return {
      id: task.id,
      ...(safetyIdentifier === undefined ? {} : { safety_identifier: safetyIdentifier }),
    };
  }

  function findDraft(id: string, owner: string): VideoOrder | undefined {
    const draft = table.find(id, owner);
    const isDone = draft !== undefined && stateOf(draft, now()).phase === "succeeded";
    return isDone && draft.requested.isDraft ? draft.requested : undefined;
  }

  /** The same as is answered to who asks at that time; of the end of what was taken back nothing is told. */
  function follow(task: VideoTask): void {
    const { callbackUrl } = task.requested;
    if (callbackUrl === undefined) return;
    callbacks.follow({
      url: callbackUrl,
      moments: momentsOf(task),
      message(at) {
        const current = table.find(task.id, task.owner);
        const hasCome = current !== undefined && stateOf(current, at).since === at;
        return hasCome ? { body: bodyOf(current, at) } : undefined;
      },
      timeoutMs: 5_000,
      retryMs: [1_000, 1_000, 1_000],
      isRetried: (status) => status < 200 || status > 299,
    });
  }

  function bodyOf(task: VideoTask, at = now()) {
    const validSeconds = settings.linkSeconds ?? LINK_SECONDS;
    return taskBody(task, at, { files, validSeconds });
  }

  function isKept(task: VideoTask): boolean {
    const { phase, since } = stateOf(task, now());
    const isGone = phase === "cancelled" && now() - since >= DAY_MS;
    return !isGone && now() - task.createdAt < KEPT_MS;
  }

  function getTask(id: string, owner: string): VideoTask {
    const task = table.find(id, owner);
    if (task !== undefined && isKept(task)) return task;
    throw refusedAs("ResourceNotFound", `The specified task ${id} is not found`);
  }

  function remove(task: VideoTask): void {
    const { phase } = stateOf(task, now());
    if (phase === "queued") table.cancel(task);
    else if (phase === "running" || phase === "cancelled")
      throw invalidField("id", `a task that is ${phase} can be neither cancelled nor deleted`);
    else table.remove(task);
  }

  /** Nothing for other paths. */
  return function reply(request: VendorRequest): Reply | undefined {
    if (!request.path.startsWith(TASKS_PATH)) return undefined;
    const requestId = newRequestId(now());
    try {
      return route(request, checkCredential(request.headers, options.apiKeys), requestId);
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      const body = taskRefusal(cause.status, cause.detail, requestId);
      return jsonReply(cause.status, body, { "x-request-id": requestId });
    }
  };
}

interface VideoTasksOptions {
  readonly files: ResultFiles;
  readonly library: AssetLibrary;
  readonly options: VendorOptions;
}

const DAY_MS = 86_400_000;
const KEPT_MS = 7 * DAY_MS;
const LINK_SECONDS = 86_400;
