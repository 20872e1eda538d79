import type { ResultFiles } from "@sluice/sandbox/engine/result-files.ts";
import { readMarks, stateOf, taskTable } from "@sluice/sandbox/engine/tasks.ts";
import { isJsonObject, type JsonObject } from "@sluice/sandbox/json.ts";
import type { VendorOptions, VendorRequest } from "@sluice/sandbox/vendor.ts";
import { ApiError } from "../error.ts";
import { newFileId } from "../ids.ts";
import { originOf } from "@sluice/sandbox/wire/origin.ts";
import type { Reply } from "@sluice/sandbox/wire/reply.ts";
import { findVeo, type Place } from "./models.ts";
import { filmOf, operationBody, shownOf, type PlacedVeo, type VeoTask } from "./operation-body.ts";
import { readVeoRequest } from "./request.ts";
import { EXPIRED, FAILURES, refusalIn } from "./rpc.ts";

/** Videos as operations: https://ai.google.dev/gemini-api/docs/video. Throws `ApiError` if it refuses. */
export function veoEndpoints(files: ResultFiles, options: VendorOptions) {
  const { now, tasks: settings } = options;
  const table = taskTable<PlacedVeo>(options);

  /** `parent` is the model's name with everything before it. */
  function order(request: VendorRequest, owner: string, parent: string, place: Place): JsonObject {
    const id = parent.slice(parent.lastIndexOf("/") + 1);
    const model = findVeo(id);
    if (model === undefined) {
      throw new ApiError(
        404,
        `models/${id} is not found, or is not supported for predictLongRunning. Call ListModels to see the list of available models and their supported methods.`,
      );
    }
    const requested = readVeoRequest(request.body, model, place);
    const refusal = refusalIn(readMarks(requested.prompt));
    if (refusal !== undefined)
      throw new ApiError(
        refusal.status,
        "The request failed, as the words in brackets asked it to.",
      );
    if (table.countOpen(owner) >= (settings.parallel ?? Infinity))
      throw new ApiError(429, "You exceeded your current quota of concurrent operations.");

    const taskId = place === "gemini" ? newFileId() : crypto.randomUUID();
    const operation = `${parent}/operations/${taskId}`;
    const task = table.open({
      id: taskId,
      owner,
      requested: { ...requested, operation },
      origin: originOf(request),
      prompt: requested.prompt,
      failures: FAILURES,
    });
    if (task.marks.has("timeout")) throw new ApiError(EXPIRED.status, "The request timed out.");
    return { name: operation };
  }

  function get(operation: string, owner: string): Promise<JsonObject> {
    const task = table.find(operation.slice(operation.lastIndexOf("/") + 1), owner);
    if (task?.requested.operation === operation && isKept(task)) return operationBody(task, now());
    throw new ApiError(404, "Requested entity was not found.");
  }

  /** One is told where the file really lies, and shows no key there. */
  function download(request: VendorRequest, owner: string, id: string): Reply {
    const [taskId, index] = [id.slice(0, -1), Number(id.slice(-1))];
    const task = table.find(taskId, owner);
    const isThere =
      task !== undefined && isKept(task) && stateOf(task, now()).phase === "succeeded";
    if (!isThere || index >= shownOf(task)) {
      const message = `You do not have permission to access the File ${id} or it may not exist.`;
      throw new ApiError(403, message);
    }
    const location = files.publish({
      origin: originOf(request),
      name: `${id}.mp4`,
      publishedAt: now(),
      validSeconds: REDIRECT_SECONDS,
      contentType: "video/mp4",
      make: () => filmOf(task, index),
    });
    return {
      status: 302,
      headers: { location, "cache-control": "private, max-age=0" },
      body: { kind: "bytes", bytes: new Uint8Array(), tokens: 0 },
    };
  }

  function isKept({ endsAt }: VeoTask): boolean {
    return now() < endsAt + (settings.linkSeconds ?? KEPT_SECONDS) * 1_000;
  }

  return {
    order,
    get,
    download,
    /** A project's operation on a model; `undefined` for other verbs. */
    project(
      request: VendorRequest,
      owner: string,
      { parent, verb }: { readonly parent: string; readonly verb: string },
    ): JsonObject | Promise<JsonObject> | undefined {
      if (request.method !== "POST") return undefined;
      if (verb === "predictLongRunning") return order(request, owner, parent, "vertex");
      if (verb !== "fetchPredictOperation") return undefined;
      const { body } = request;
      const name = isJsonObject(body) ? body["operationName"] : undefined;
      if (typeof name === "string" && name.startsWith(`${parent}/operations/`))
        return get(name, owner);
      throw new ApiError(404, "The operation of that name is not one of this model.");
    },
  };
}

/** Two days. */
const KEPT_SECONDS = 172_800;
const REDIRECT_SECONDS = 600;
