import { randomBytes } from "node:crypto";
import { readMarks, stateOf, taskTable } from "@sluice/sandbox/engine/tasks.ts";
import type { JsonObject } from "@sluice/sandbox/json.ts";
import { ApiError, invalid, orderedDetail } from "../error.ts";
import { readChoice } from "../fields.ts";
import { decodeSegment } from "../routing.ts";
import type { VendorOptions, VendorRequest } from "@sluice/sandbox/vendor.ts";
import { fileReply } from "@sluice/sandbox/wire/file-reply.ts";
import { originOf } from "@sluice/sandbox/wire/origin.ts";
import { jsonReply, type Reply } from "@sluice/sandbox/wire/reply.ts";
import { characterTable } from "./characters.ts";
import { contentOf, TYPES, VARIANTS } from "./content.ts";
import { listVideos } from "./list.ts";
import { readCreation, readEdit, readExtension, readRemix, type SoraOrder } from "./request.ts";
import { LATE_CODES, statusOf, videoBody, type SoraTask } from "./task-body.ts";

const VIDEOS_PATH = "/v1/videos";

/** Videos and everything below their path. Throws `ApiError` at what it refuses. */
export function videosEndpoint(options: VendorOptions) {
  const { now, tasks: settings } = options;
  const table = taskTable<SoraOrder>(options);
  const characters = characterTable(now);

  function route(request: VendorRequest, owner: string): JsonObject {
    const { method, path, query } = request;
    const [id, action, ...more] = path.split("/").slice(3).map(decodeSegment);
    const find = (source: string) => getDone(source, owner).requested;
    if (id === undefined) {
      if (method === "POST") return create(request, owner, readCreation(request));
      if (method === "GET") return listVideos(table.list(owner), query, bodyOf);
    } else if (id === "characters") {
      if (method === "POST" && action === undefined) return characters.create(request, owner);
      if (method === "GET" && action !== undefined) return characters.get(action, owner);
    } else if (action === undefined) {
      if (method === "POST" && id === "edits")
        return create(request, owner, readEdit(request, find));
      if (method === "POST" && id === "extensions")
        return create(request, owner, readExtension(request, find));
      if (method === "GET") return bodyOf(getTask(id, owner));
      if (method === "DELETE") return remove(getTask(id, owner));
    } else if (action === "remix" && method === "POST" && more.length === 0) {
      return create(request, owner, readRemix(request, id, find(id)));
    }
    throw new ApiError(404, { message: `Invalid URL (${method} ${path})` });
  }

  function create(request: VendorRequest, owner: string, order: SoraOrder): JsonObject {
    const marks = readMarks(order.prompt);
    const refusal = REFUSALS.find(({ code }) => marks.has(code));
    if (refusal !== undefined) throw refusedAs(refusal);
    if (table.countOpen(owner) >= (settings.parallel ?? Infinity)) throw refusedAs(TOO_MANY);
    const task = table.open({
      id: `video_${randomBytes(24).toString("hex")}`,
      owner,
      requested: order,
      origin: originOf(request),
      prompt: order.prompt,
      failures: LATE_CODES,
    });
    if (task.marks.has("timeout")) throw refusedAs({ status: 504, code: undefined });
    return bodyOf(task);
  }

  async function download(request: VendorRequest, owner: string, id: string): Promise<Reply> {
    const asked = { path: "variant", value: request.query.get("variant") ?? undefined };
    const variant = readChoice(asked, VARIANTS) ?? "video";
    const task = getTask(id, owner);
    const state = stateOf(task, now());
    if (state.phase !== "succeeded") {
      const message = `Video is not ready yet: its status is ${statusOf(state)}. Use GET /v1/videos/${id} to check it.`;
      throw new ApiError(404, { message });
    }
    if (now() >= state.since + keptSeconds() * 1_000)
      throw new ApiError(404, { message: "The assets of the video have expired." });
    return fileReply(request, await contentOf(task.requested, variant), TYPES[variant]);
  }

  function remove(task: SoraTask): JsonObject {
    const status = statusOf(stateOf(task, now()));
    if (status !== "completed" && status !== "failed")
      throw invalid(null, null, `A video that is ${status} cannot be deleted.`);
    table.remove(task);
    return { id: task.id, object: "video.deleted", deleted: true };
  }

  function getTask(id: string, owner: string): SoraTask {
    const task = table.find(id, owner);
    if (task !== undefined) return task;
    throw new ApiError(404, {
      message: `Video with id '${id}' not found.`,
      param: "video_id",
      code: "video_not_found",
    });
  }

  function getDone(id: string, owner: string): SoraTask {
    const task = getTask(id, owner);
    const status = statusOf(stateOf(task, now()));
    if (status === "completed") return task;
    throw invalid(null, null, `Video '${id}' is ${status}: only a completed one can be used.`);
  }

  const keptSeconds = () => settings.linkSeconds ?? KEPT_SECONDS;
  const bodyOf = (task: SoraTask) => videoBody(task, now(), keptSeconds());

  /** Nothing for other paths. */
  return async function reply(
    request: VendorRequest,
    headers: Readonly<Record<string, string>>,
    owner: string,
  ): Promise<Reply | undefined> {
    const { method, path } = request;
    if (path !== VIDEOS_PATH && !path.startsWith(`${VIDEOS_PATH}/`)) return undefined;
    const id = /^\/v1\/videos\/([^/]+)\/content$/.exec(path)?.[1];
    if (id === undefined || method !== "GET") return jsonReply(200, route(request, owner), headers);
    const file = await download(request, owner, decodeSegment(id));
    return { ...file, headers: { ...headers, ...file.headers } };
  };
}

const KEPT_SECONDS = 3_600;

interface Refusal {
  readonly status: number;
  readonly code: string | undefined;
}

const TOO_MANY = { status: 429, code: "rate_limit_exceeded" } as const;
const REFUSALS = [TOO_MANY, { status: 429, code: "insufficient_quota" }] as const;

function refusedAs({ status, code }: Refusal): ApiError {
  return new ApiError(status, orderedDetail({ status, code, message: undefined }));
}
