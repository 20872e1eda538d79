import { GatewayError } from "#core/error.ts";
import type { MediaBytes } from "#core/kept-media.ts";
import type { Task } from "#core/task.ts";
import { LongBase64, writeJson } from "#lib/long-base64.ts";
import { Pieces } from "#lib/pieces.ts";
import { schemaOf } from "#lib/rule-schema.ts";
import { object, text } from "#lib/rules.ts";
import { textOf } from "#lib/values.ts";
import { cloudPredictions, videosAt, writeCloudOperation } from "#styles/video/veo/cloud.ts";
import type { CloudVideo } from "#styles/video/veo/cloud.ts";
import { longPredictions } from "#styles/video/veo/inbound.ts";
import { REQUEST } from "#styles/video/veo/read-prediction.ts";
import { cloudParentOf, CLOUD_PREFIXES } from "#http/api/text/native-prefixes.ts";
import { suffixOf } from "#http/api/text/path-suffix.ts";
import { readOperation } from "#http/api/text/native.ts";
import { jsonAnswer } from "#http/answer.ts";
import type { TaskFileDeps, TaskViewDeps, VideoDeps } from "#http/deps/videos.ts";
import { toResponse } from "#http/reply.ts";
import { requireKey } from "#http/require-key.ts";
import type { Exchange, Endpoint } from "#http/routes.ts";
import { templateOf } from "#http/template.ts";
import { OPERATION } from "./answers.ts";
import { linkedVideos, requireTask, serveSubmit, serveTask } from "./serve-task.ts";

const COMMON = {
  access: "key",
  family: "videos",
  tag: "Videos",
  answer: jsonAnswer(OPERATION),
  renderError: longPredictions.inbound.buildError,
} as const;

/** A larger file is returned as a link. */
const MAX_INLINE_BYTES = 64 * 1024 * 1024;

/** Video creation and polling for clients of the vendor's cloud. */
export const cloudVideos: readonly Endpoint<VideoDeps>[] = CLOUD_PREFIXES.flatMap((prefix) => [
  {
    ...COMMON,
    operationId: `predictLongRunning${suffixOf(prefix)}`,
    method: "POST",
    path: `${prefix}/models/:model{.+:predictLongRunning}`,
    summary: "Creates videos in the format of the native vendor's cloud.",
    requestSchema: () => schemaOf(REQUEST),
    handle(exchange, deps) {
      const { model } = readOperation(exchange.param("model"));
      return serveSubmit(exchange, formatAt(exchange), deps, { model });
    },
  },
  {
    ...COMMON,
    operationId: `fetchPredictOperation${suffixOf(prefix)}`,
    method: "POST",
    path: `${prefix}/models/:model{.+:fetchPredictOperation}`,
    summary: "Status of videos; the answer contains finished ones.",
    requestSchema: () => schemaOf(FETCH_REQUEST),
    handle: fetchOperation,
  },
  {
    ...COMMON,
    operationId: `getModelOperation${suffixOf(prefix)}`,
    template: `${templateOf(prefix)}/models/{model}/operations/{operation}`,
    method: "GET",
    path: `${prefix}/models/:operation{.+/operations/[^/]+}`,
    summary: "Status of videos, with links to finished ones.",
    handle(exchange, deps) {
      return serveTask(exchange, formatAt(exchange), lastStepOf(exchange.param("operation")), deps);
    },
  },
]);

const FETCH_REQUEST = object({ "operationName!": text({ maxLength: 1_024 }) });

function formatAt({ request }: Exchange) {
  return cloudPredictions(parentAt(request));
}

function parentAt(request: Request): string {
  return cloudParentOf(new URL(request.url).pathname) ?? "publishers/google";
}

function lastStepOf(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}

async function fetchOperation(
  exchange: Exchange,
  deps: TaskViewDeps & TaskFileDeps,
): Promise<Response> {
  const { json } = await exchange.readJson(deps.limits.bodyBytes);
  const name = textOf(json["operationName"]) ?? "";
  if (name === "") {
    const message = "'operationName' must be the name of an operation.";
    throw new GatewayError("invalid_request", message, { param: "operationName" });
  }
  const task = await requireTask(exchange, lastStepOf(name), deps);
  const links = videosAt(linkedVideos(exchange, longPredictions, task, deps));
  using _pause = exchange.suspendIdleTimeout();
  const videos: CloudVideo[] = [];
  if (task.status === "succeeded") {
    // Sequential, because each file is held in memory.
    for (const [index, link] of links.entries())
      videos.push(await inlined(exchange, task, link, index, deps));
  }
  const body = writeJson(writeCloudOperation(parentAt(exchange.request), task, videos));
  if (body instanceof Pieces) exchange.setStall(deps.limits.callerStallMs);
  const headers = { "content-type": "application/json" };
  return toResponse({ kind: "whole", headers, body }, exchange.id);
}

/** The file as base64; its link if it is too large or cannot be read now. */
async function inlined(
  exchange: Exchange,
  task: Task,
  link: CloudVideo,
  index: number,
  deps: Pick<VideoDeps, "contents">,
): Promise<CloudVideo> {
  const contentRequest = { index, variant: "video", signal: exchange.signal } as const;
  const content = await deps.contents
    .open(task, contentRequest, requireKey(exchange).id)
    .catch(() => {});
  if (content === undefined) return link;
  try {
    const bytes = await collected(content.body);
    if (bytes === undefined) return link;
    return { base64: LongBase64.write(bytes), mediaType: content.mediaType };
  } catch {
    return link;
  } finally {
    content.close();
  }
}

/** Undefined if the file exceeds the limit. */
async function collected(body: MediaBytes): Promise<Uint8Array | undefined> {
  if (body instanceof Blob)
    return body.size > MAX_INLINE_BYTES ? undefined : new Uint8Array(await body.arrayBuffer());
  const pieces: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const piece of body) {
    sizeBytes += piece.length;
    if (sizeBytes > MAX_INLINE_BYTES) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
