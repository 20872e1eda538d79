import { randomInt } from "node:crypto";
import { resultFiles } from "../engine/result-files.ts";
import { readMarks, stateOf, taskTable, type Task } from "../engine/tasks.ts";
import { makeVideo } from "../engine/video.ts";
import { withoutMagicWords } from "../faults/magic-words.ts";
import type { JsonObject } from "../json.ts";
import { ApiError } from "../openai/error.ts";
import { field, readText, required } from "../openai/fields.ts";
import type { VendorOptions, VendorRequest } from "../vendor.ts";
import { originOf } from "../wire/origin.ts";
import { jsonReply, type Reply } from "../wire/reply.ts";
import { checkSignature, REGION, SERVICE } from "./credential.ts";
import {
  GateError,
  gateRefusal,
  lateFailure,
  LATE_CODES,
  markedRefusal,
  refusalOf,
  refused,
} from "./error.ts";
import { readBody, readJimengRequest, readReqKey, type JimengOrder } from "./request.ts";

type JimengTask = Task<JimengOrder>;

/** Three actions at one address. */
export function jimengEndpoints(options: VendorOptions) {
  const { now, tasks: settings } = options;
  const table = taskTable<JimengOrder>(options);
  const files = resultFiles({ vendor: "jimeng", now });

  function route(request: VendorRequest): JsonObject | null {
    const owner = checkSignature(request, options);
    const { method, path, query } = request;
    const action = query.get("Action");
    const isKnown = method === "POST" && path.length <= 1 && query.get("Version") === VERSION;
    if (!isKnown) throw gateRefusal("InvalidActionOrVersion");
    if (action === "CVSync2AsyncSubmitTask") return submit(request, owner);
    if (action === "CVSync2AsyncGetResult") return result(request, owner);
    if (action === "CVCancelTask") return cancel(request, owner);
    throw gateRefusal("InvalidActionOrVersion");
  }

  function submit(request: VendorRequest, owner: string): JsonObject {
    const order = readJimengRequest(readBody(request.body));
    const refusal = markedRefusal(readMarks(order.prompt));
    if (refusal !== undefined) throw refusal;
    if (table.countOpen(owner) >= (settings.parallel ?? Infinity)) throw refused(50430);
    const task = table.open({
      id: newTaskId(),
      owner,
      requested: order,
      origin: originOf(request),
      prompt: order.prompt,
      failures: LATE_CODES,
    });
    if (task.marks.has("timeout"))
      throw new ApiError(504, { message: "Internal Error", code: "50500" });
    return { task_id: task.id };
  }

  function result(request: VendorRequest, owner: string): JsonObject {
    const task = findTask(request, owner);
    if (task === undefined) return { status: "not_found" };
    switch (stateOf(task, now()).phase) {
      case "queued":
        return { status: "in_queue" };
      case "running":
        return { status: "generating" };
      case "succeeded":
        return doneBody(task);
      case "failed":
        throw lateFailure(task.marks);
      case "expired":
        return { status: "expired" };
      case "cancelled":
        return { status: "not_found" };
    }
  }

  function doneBody(task: JimengTask): JsonObject {
    const { prompt, frames, width, height } = task.requested;
    const film = {
      width,
      height,
      seconds: (frames - 1) / FRAMES_PER_SECOND,
      framesPerSecond: FRAMES_PER_SECOND,
      prompt: withoutMagicWords(prompt),
      hasSound: false,
    };
    const url = files.publish({
      origin: task.origin,
      name: `${task.id}/video.mp4`,
      publishedAt: task.endsAt,
      validSeconds: settings.linkSeconds ?? LINK_SECONDS,
      contentType: "video/mp4",
      make: () => makeVideo(film),
    });
    return {
      status: "done",
      video_url: url,
      aigc_meta_tagged: false,
      binary_data_base64: null,
      image_urls: null,
      resp_data: "",
    };
  }

  /** As long as it waits. */
  function cancel(request: VendorRequest, owner: string): null {
    const task = findTask(request, owner);
    if (task === undefined || stateOf(task, now()).phase !== "queued")
      throw refused(50215, "The task is not there, or is being generated already.");
    table.cancel(task);
    return null;
  }

  /** By the same `req_key` that it was ordered with. */
  function findTask(request: VendorRequest, owner: string): JimengTask | undefined {
    const body = readBody(request.body);
    const reqKey = readReqKey(body);
    const id = required(field(body, "task_id"), readText(field(body, "task_id")) || undefined);
    readText(field(body, "req_json"));
    const task = table.find(id, owner);
    const isKept = task?.requested.reqKey === reqKey && now() < task.createdAt + KEPT_MS;
    return isKept ? task : undefined;
  }

  return function reply(request: VendorRequest): Reply | Promise<Reply> {
    const file = files.reply(request);
    if (file !== undefined) return file;
    try {
      return jsonReply(200, envelope(10_000, "Success", route(request)));
    } catch (cause) {
      if (cause instanceof GateError) return jsonReply(cause.status, gateEnvelope(cause, request));
      if (!(cause instanceof ApiError)) throw cause;
      const { code, message } = refusalOf(cause);
      return jsonReply(cause.status, envelope(code, message, null));
    }
  };
}

const VERSION = "2022-08-31";
const FRAMES_PER_SECOND = 24;
const LINK_SECONDS = 3_600;
/** Twelve hours. */
const KEPT_MS = 43_200_000;

/** The code comes twice. */
export function envelope(code: number, message: string, data: JsonObject | null): JsonObject {
  return {
    code,
    data,
    message,
    request_id: newRequestId(),
    status: code,
    time_elapsed: "12.3ms",
  };
}

function gateEnvelope({ error }: GateError, { query }: VendorRequest): JsonObject {
  return {
    ResponseMetadata: {
      RequestId: newRequestId(),
      Action: query.get("Action") ?? "",
      Version: query.get("Version") ?? "",
      Service: SERVICE,
      Region: REGION,
      Error: error,
    },
  };
}

function newRequestId(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(16)))
    .toString("hex")
    .toUpperCase();
}

/** Nineteen digits: more than a number of JavaScript's holds. */
function newTaskId(): string {
  return `7${randomInt(100_000_000, 999_999_999)}${randomInt(100_000_000, 999_999_999)}`;
}
