import { randomBytes, randomInt } from "node:crypto";
import { resultFiles } from "../engine/result-files.ts";
import { momentsOf, readMarks, stateOf, taskTable } from "../engine/tasks.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { ApiError } from "../openai/error.ts";
import { decodeSegment } from "../openai/routing.ts";
import type { VendorOptions, VendorRequest } from "../vendor.ts";
import { originOf } from "../wire/origin.ts";
import { jsonReply, type Reply } from "../wire/reply.ts";
import { signedMessage } from "./callback.ts";
import { invalidField, LATE_REASONS, markedReason, refusalBody, refused } from "./error.ts";
import { ACTIONS, type Action } from "./models.ts";
import { readViduRequest, type ViduOrder } from "./request.ts";
import { createdBody, taskBody, wordFor, type ViduTask } from "./task-body.ts";

/** Four ways to order a video, one to ask for it and one to take it back. */
export function viduEndpoints(options: VendorOptions) {
  const { now, tasks: settings, callbacks } = options;
  const table = taskTable<ViduOrder>(options);
  const files = resultFiles({ vendor: "vidu", now });

  function route(request: VendorRequest): JsonObject {
    const key = readKey(request, options.apiKeys);
    const [ent, version, first, id = "", last, ...more] = request.path
      .split("/")
      .slice(1)
      .map(decodeSegment);
    if (ent !== "ent" || version !== "v2" || more.length > 0) throw refused("NotFound");
    const action = ACTIONS.find((each) => each === first);
    if (action !== undefined && id === "" && request.method === "POST")
      return create(request, key, action);
    if (first === "credits" && id === "" && request.method === "GET") return credits(key);
    if (first !== "tasks") throw refused("NotFound");
    if (last === "creations" && request.method === "GET") return bodyOf(getTask(id, key));
    if (last === "cancel" && request.method === "POST") return cancel(request, getTask(id, key));
    throw refused("NotFound");
  }

  function create(request: VendorRequest, owner: string, action: Action): JsonObject {
    const order = readViduRequest(request.body, action);
    const refusal = markedReason(readMarks(order.prompt));
    if (refusal !== undefined) throw refused(refusal);
    if (table.countOpen(owner) >= (settings.parallel ?? Infinity)) throw refused("QuotaExceeded");
    const task = table.open({
      id: newTaskId(),
      owner,
      requested: order,
      origin: originOf(request),
      prompt: order.prompt,
      failures: LATE_REASONS,
    });
    // Nothing is told of the wait before it runs.
    tell(task, momentsOf(task).slice(1));
    if (task.marks.has("timeout")) throw refused("InternalServiceFailure", undefined, 504);
    return createdBody(task);
  }

  function credits(owner: string): JsonObject {
    const common = { concurrency_limit: settings.parallel ?? 5, queue_count: 0 };
    const current_concurrency = table.countOpen(owner);
    return {
      remains: [
        { type: "test", credit_remain: 100, ...common, current_concurrency: 0 },
        { type: "metered", credit_remain: 1_900, ...common, current_concurrency },
      ],
    };
  }

  /** As long as it waits. */
  function cancel({ body }: VendorRequest, task: ViduTask): JsonObject {
    const said = isJsonObject(body) ? body["id"] : undefined;
    if (said !== undefined && said !== task.id) throw invalidField("id");
    const state = stateOf(task, now());
    if (state.phase !== "queued") {
      const word = wordFor(task, state, now());
      throw refused("BadRequest", `task state is ${word}, can not cancel`);
    }
    const cancelled = table.cancel(task);
    tell(cancelled, [cancelled.cancelledAt]);
    return {};
  }

  function tell(task: ViduTask, moments: readonly number[]): void {
    const { callbackUrl } = task.requested;
    if (callbackUrl === undefined) return;
    callbacks.follow({
      url: callbackUrl,
      moments,
      message(at) {
        const current = table.find(task.id, task.owner);
        const hasCome = current !== undefined && stateOf(current, at).since === at;
        return hasCome
          ? signedMessage(bodyOf(current, at), task.owner, callbackUrl, now)
          : undefined;
      },
      timeoutMs: 5_000,
      retryMs: [1_000, 1_000, 1_000],
      isRetried: (status) => status !== 200,
    });
  }

  function getTask(id: string, owner: string): ViduTask {
    const task = table.find(id, owner);
    if (task === undefined) throw refused("TaskNotFound");
    return task;
  }

  function bodyOf(task: ViduTask, at = now()): JsonObject {
    return taskBody(task, at, { files, validSeconds: settings.linkSeconds ?? LINK_SECONDS });
  }

  return function reply(request: VendorRequest): Reply | Promise<Reply> {
    const file = files.reply(request);
    if (file !== undefined) return file;
    try {
      return jsonReply(200, route(request));
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      return jsonReply(cause.status, refusalBody(cause, newTraceId()));
    }
  };
}

const LINK_SECONDS = 86_400;

function readKey({ headers }: VendorRequest, apiKeys: readonly string[] | undefined): string {
  const key = /^Token\s+(\S+)$/.exec(headers["authorization"]?.trim() ?? "")?.[1];
  if (key === undefined || (apiKeys !== undefined && !apiKeys.includes(key)))
    throw refused("Unauthorized");
  return key;
}

/** Eighteen digits: more than a number of JavaScript's holds. */
function newTaskId(): string {
  return `9${randomInt(10_000_000, 99_999_999)}${randomInt(100_000_000, 999_999_999)}`;
}

export function newTraceId(): string {
  return randomBytes(16).toString("hex");
}
