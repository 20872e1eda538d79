import { invalid } from "#core/error.ts";
import type { Task } from "#core/task.ts";
import { isOver } from "#core/task.ts";
import type { VideoRequest } from "#core/video.ts";
import type { Json } from "#lib/json.ts";
import { schemaOf } from "#lib/rule-schema.ts";
import { defined, textOf } from "#lib/values.ts";
import { videoObjects } from "#styles/video/openai/inbound.ts";
import { readList, REMIX_REQUEST } from "#styles/video/openai/read-query.ts";
import { STATUS_WORDS, writeDeleted, writeList } from "#styles/video/openai/write-video.ts";
import { REQUEST } from "#styles/video/unified/fields.ts";
import { jsonAnswer } from "#http/answer.ts";
import type { SubmissionDeps, TaskViewDeps, VideoDeps } from "#http/deps/videos.ts";
import { json } from "#http/json.ts";
import { requireKey } from "#http/require-key.ts";
import type { Exchange, Endpoint } from "#http/routes.ts";
import { DELETED_VIDEO, VIDEO, VIDEOS, VIDEOS_QUERY } from "./answers.ts";
import { requireTask, serveSubmit, serveTask, submitVideo, writeTask } from "./serve-task.ts";

const PATH = "/v1/videos";

const COMMON = {
  access: "key",
  family: "videos",
  tag: "Videos",
  path: PATH,
  answer: jsonAnswer(VIDEO),
  renderError: videoObjects.inbound.buildError,
} as const;
const ONE = { ...COMMON, path: `${PATH}/:id` } as const;

/** Videos as objects: create, list, remix and delete. */
export const videoOperations: readonly Endpoint<SubmissionDeps>[] = [
  {
    ...COMMON,
    operationId: "createVideo",
    method: "POST",
    summary: "Creates a video. The body is JSON or a form.",
    requestSchema: () => schemaOf(REQUEST),
    handle: (exchange, deps) => serveSubmit(exchange, videoObjects, deps),
  },
  {
    ...COMMON,
    operationId: "listVideos",
    query: VIDEOS_QUERY,
    answer: jsonAnswer(VIDEOS),
    method: "GET",
    summary: "Lists videos in pages.",
    handle: list,
  },
  {
    ...ONE,
    operationId: "getVideo",
    method: "GET",
    summary: "Status of a video.",
    handle: (exchange, deps) => serveTask(exchange, videoObjects, exchange.param("id"), deps),
  },
  {
    ...ONE,
    operationId: "deleteVideo",
    answer: jsonAnswer(DELETED_VIDEO),
    method: "DELETE",
    summary: "Deletes a video that is finished or has failed.",
    handle: remove,
  },
  {
    ...COMMON,
    operationId: "remixVideo",
    method: "POST",
    path: `${PATH}/:id/remix`,
    summary: "Creates a changed version of a video from another prompt.",
    requestSchema: () => schemaOf(REMIX_REQUEST),
    handle: remix,
  },
];

async function list(exchange: Exchange, deps: TaskViewDeps): Promise<Response> {
  const { limit, ...query } = readList(exchange.query);
  const { userId } = requireKey(exchange);
  const found = await deps.tasks.list({ ...query, userId, limit: limit + 1 });
  const data = found.slice(0, limit).map((task) => writeTask(exchange, videoObjects, task, deps));
  return json(writeList(data, found.length > limit), exchange.id);
}

async function remove(exchange: Exchange, deps: Pick<VideoDeps, "tasks">): Promise<Response> {
  const task = await requireTask(exchange, exchange.param("id"), deps);
  if (!isOver(task)) throw notFinished(task, "deleted");
  await deps.tasks.remove(task);
  return json(writeDeleted(task.id), exchange.id);
}

/** A video can be remixed only on the upstream account that made it. */
async function remix(exchange: Exchange, deps: SubmissionDeps): Promise<Response> {
  const source = await requireTask(exchange, exchange.param("id"), deps);
  const { json: body, text } = await exchange.readJson(deps.limits.mediaBodyBytes);
  const { model, place, status } = source;
  refuseOtherModel(body["model"], model);
  if (status !== "succeeded" || place?.upstreamId === undefined)
    throw notFinished(source, "remixed");
  const { seconds, size, resolution, ratio, audio } = source.facts;
  const question: VideoRequest = {
    ...videoObjects.inbound.read({ ...body, model }, {}),
    scenario: "remix",
    source: {
      id: source.id,
      upstreamId: place.upstreamId,
      was: defined({ seconds, size, resolution, ratio, audio }),
    },
  };
  if (question.prompt === undefined) throw invalid("prompt", "'prompt' is required.");
  const home = { channel: place.channel, account: place.credential };
  return await submitVideo(exchange, videoObjects, { question, sent: text }, deps, home);
}

function refuseOtherModel(named: Json | undefined, model: string): void {
  const other = textOf(named) ?? model;
  if (other === model) return;
  throw invalid("model", `'model' must be that of the video, ${model}.`);
}

function notFinished({ status }: Task, what: string): Error {
  const word = STATUS_WORDS[status];
  return invalid("video_id", `The video cannot be ${what}: its status is '${word}'.`);
}
