import { resultFiles } from "../engine/result-files.ts";
import { momentsOf, readMarks, stateOf, taskTable } from "../engine/tasks.ts";
import type { Json, JsonObject } from "../json.ts";
import { ApiError } from "../openai/error.ts";
import { decodeSegment } from "../openai/routing.ts";
import type { VendorOptions, VendorRequest } from "../vendor.ts";
import { originOf } from "../wire/origin.ts";
import { jsonReply, type Reply } from "../wire/reply.ts";
import { v1Body, v3Body } from "./bodies.ts";
import { signedMessage } from "./callback.ts";
import { checkCredential } from "./credential.ts";
import { invalidValue, markedRefusal, refusalBody, refused } from "./error.ts";
import { newRequestId, newTaskId } from "./ids.ts";
import { pageByCursor, pageByNumber } from "./list.ts";
import type { KlingOrder, KlingTask } from "./order.ts";
import { SCENARIOS, type Scenario } from "./v1/models.ts";
import { readV1Request } from "./v1/request.ts";
import { PRODUCTS, readV3Request } from "./v3/request.ts";

/** Both styles, over one table of tasks. */
export function klingEndpoints(options: VendorOptions) {
  const { now, tasks: settings, callbacks } = options;
  const table = taskTable<KlingOrder>(options);
  const files = resultFiles({ vendor: "kling", now });

  function route(request: VendorRequest): Json {
    const [first = "", ...rest] = request.path.split("/").slice(1).map(decodeSegment);
    const isAccount = first === "account";
    const style = first === "v1" || isAccount ? "v1" : "3.0";
    const owner = checkCredential(request, style, options);
    if (isAccount) return routeAccount(request, rest);
    if (style === "v1") return routeV1(request, owner, rest);
    if (first === "tasks" && rest.length === 0) return routeTasks(request, owner);
    const product = PRODUCTS.find((each) => each === first);
    const [model = "", ...more] = rest;
    if (product === undefined || more.length > 0 || request.method !== "POST") throw refused(1202);
    const task = create(request, owner, readV3Request(request.body, product, model));
    const { outputs: _o, billing: _b, message: _m, ...created } = v3(task);
    return created;
  }

  function routeV1(request: VendorRequest, owner: string, path: readonly string[]): Json {
    const [videos, name, id, ...more] = path;
    const scenario = SCENARIOS.find((each) => each === name);
    if (videos !== "videos" || scenario === undefined || more.length > 0) throw refused(1202);
    if (request.method === "POST" && id === undefined) {
      const task = create(request, owner, readV1Request(request.body, scenario));
      const { task_status_msg: _m, watermark_info: _w, ...created } = v1(task);
      return created;
    }
    if (request.method !== "GET") throw refused(1202);
    if (id !== undefined) return v1(getV1Task(id, owner, scenario));
    return pageByNumber(listV1(owner, scenario), request.query).map((task) => v1(task));
  }

  function routeAccount({ method, query }: VendorRequest, path: readonly string[]): Json {
    if (method !== "GET" || path.join("/") !== "costs") throw refused(1202);
    const [start, end] = ["start_time", "end_time"].map((name) => {
      const text = query.get(name) ?? "";
      if (/^\d{1,15}$/.test(text)) return Number(text);
      throw invalidValue(name, "must be a Unix timestamp in ms");
    });
    return { code: 0, msg: "success", resource_pack_subscribe_infos: packsBought(start, end) };
  }

  /** One package that is in use, and one that is used up. */
  function packsBought(from = 0, to = Infinity): readonly JsonObject[] {
    const pack = (name: string, status: string, left: number, days: number): JsonObject => {
      const bought = now() - days * DAY_MS;
      return {
        resource_pack_name: name,
        resource_pack_id: `pack-${name.length}${days}`,
        resource_pack_type: "decreasing_total",
        total_quantity: 1_000,
        remaining_quantity: left,
        purchase_time: bought,
        effective_time: bought,
        invalid_time: bought + 365 * DAY_MS,
        status,
      };
    };
    const packs = [pack("Video", "online", 812.5, 100), pack("Trial", "runOut", 0, 300)];
    return packs.filter(({ purchase_time: at }) => Number(at) >= from && Number(at) <= to);
  }

  function routeTasks({ method, query, body }: VendorRequest, owner: string): Json {
    if (method === "POST") return pageByCursor(table.list(owner), body, now(), v3);
    if (method !== "GET") throw refused(1202);
    const ids = query.get("task_ids");
    const names = query.get("external_task_ids");
    if ((ids === null) === (names === null))
      throw invalidValue("task_ids", "either task_ids or external_task_ids is required, not both");
    const found = (ids ?? names ?? "")
      .split(",")
      .map((id) => (ids === null ? table.findNamed(id, owner) : table.find(id, owner)));
    return found.filter((task) => task !== undefined).map((task) => v3(task));
  }

  function create(request: VendorRequest, owner: string, order: KlingOrder): KlingTask {
    const refusal = markedRefusal(readMarks(order.prompt));
    if (refusal !== undefined) throw refusal;
    const { externalId } = order;
    if (externalId !== undefined && table.findNamed(externalId, owner) !== undefined)
      throw invalidValue("external_task_id", `'${externalId}' already exists`);
    if (table.countOpen(owner) >= (settings.parallel ?? Infinity)) throw refused(1303);

    const { prompt } = order;
    const origin = originOf(request);
    const id = newTaskId(now());
    const task = table.open({ id, owner, externalId, requested: order, origin, prompt });
    follow(task);
    if (task.marks.has("timeout")) throw refused(5002);
    return task;
  }

  /** The bare task, without the envelope of an answer. */
  function follow(task: KlingTask): void {
    const { callbackUrl, style } = task.requested;
    if (callbackUrl === undefined) return;
    callbacks.follow({
      url: callbackUrl,
      moments: momentsOf(task),
      message(at) {
        if (stateOf(task, at).since !== at) return undefined;
        const body = style === "v1" ? v1(task, at) : v3(task, at);
        return signedMessage(body, settings.callbackSecrets, now);
      },
      timeoutMs: 5_000,
      retryMs: [1_000, 5_000, 30_000],
      isRetried: (status) => status >= 500,
    });
  }

  function listV1(owner: string, scenario: Scenario): readonly KlingTask[] {
    return table
      .list(owner)
      .filter(({ requested }) => requested.style === "v1" && requested.product === scenario);
  }

  /** By its id or by the caller's own, and below the path that it was ordered by. */
  function getV1Task(id: string, owner: string, scenario: Scenario): KlingTask {
    const task = table.find(id, owner) ?? table.findNamed(id, owner);
    if (task?.requested.style === "v1" && task.requested.product === scenario) return task;
    throw refused(1203, "Task not found");
  }

  const v1 = (task: KlingTask, at = now()): JsonObject => v1Body(task, at, results());
  const v3 = (task: KlingTask, at = now()): JsonObject => v3Body(task, at, results());
  const results = () => ({ files, validSeconds: settings.linkSeconds ?? LINK_SECONDS });

  return function reply(request: VendorRequest): Reply | Promise<Reply> {
    const file = files.reply(request);
    if (file !== undefined) return file;
    const requestId = newRequestId();
    try {
      const data = route(request);
      return jsonReply(200, { code: 0, message: "SUCCEED", request_id: requestId, data });
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      return jsonReply(cause.status, refusalBody(cause, requestId));
    }
  };
}

const DAY_MS = 86_400_000;
/** Thirty days. */
const LINK_SECONDS = 2_592_000;
