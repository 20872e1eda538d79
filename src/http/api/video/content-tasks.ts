import { GatewayError, invalid } from "#core/error.ts";
import { isOver } from "#core/task.ts";
import { schemaOf } from "#lib/rule-schema.ts";
import { contentTasks } from "#styles/video/ark/inbound.ts";
import { readList } from "#styles/video/ark/read-list.ts";
import { REQUEST } from "#styles/video/ark/read-task.ts";
import { writeList } from "#styles/video/ark/write-task.ts";
import { jsonAnswer } from "#http/answer.ts";
import type { SubmissionDeps, TaskViewDeps, VideoDeps } from "#http/deps/videos.ts";
import { json } from "#http/json.ts";
import { requireKey } from "#http/require-key.ts";
import type { Exchange, Endpoint } from "#http/routes.ts";
import {
  CONTENT_TASK,
  CONTENT_TASKS,
  CONTENT_TASKS_QUERY,
  CREATED_TASK,
  EMPTY_ANSWER,
} from "./answers.ts";
import { readVideo, requireTask, serveTask, submitVideo, writeTask } from "./serve-task.ts";

const CONTENT_TASKS_PREFIX = "/videoa/";
export const CONTENT_TASKS_BASE = `${CONTENT_TASKS_PREFIX}api/v3`;
const PATH = `${CONTENT_TASKS_BASE}/contents/generations/tasks`;

const COMMON = {
  access: "key",
  family: "videos",
  tag: "Videos",
  renderError: contentTasks.inbound.buildError,
} as const;

/** Videos by tasks with a `content` list of text and media. */
export const contentTaskOperations: readonly Endpoint<SubmissionDeps>[] = [
  {
    ...COMMON,
    operationId: "createContentTask",
    answer: jsonAnswer(CREATED_TASK),
    method: "POST",
    path: PATH,
    summary: "Creates a video from text and media.",
    requestSchema: () => schemaOf(REQUEST),
    handle: submit,
  },
  {
    ...COMMON,
    operationId: "listContentTasks",
    query: CONTENT_TASKS_QUERY,
    answer: jsonAnswer(CONTENT_TASKS),
    method: "GET",
    path: PATH,
    summary: "Lists tasks, newest first, in pages.",
    handle: list,
  },
  {
    ...COMMON,
    operationId: "getContentTask",
    answer: jsonAnswer(CONTENT_TASK),
    method: "GET",
    path: `${PATH}/:id`,
    summary: "Status of a task.",
    handle: (exchange, deps) => serveTask(exchange, contentTasks, exchange.param("id"), deps),
  },
  {
    ...COMMON,
    operationId: "deleteContentTask",
    answer: jsonAnswer(EMPTY_ANSWER),
    method: "DELETE",
    path: `${PATH}/:id`,
    summary: "Cancels a task that has not begun, or deletes a finished one.",
    handle: remove,
  },
];

async function submit(exchange: Exchange, deps: SubmissionDeps): Promise<Response> {
  const read = await readVideo(exchange, contentTasks, deps, {});
  try {
    return await submitVideo(exchange, contentTasks, read, deps);
  } catch (cause) {
    const error = GatewayError.from(cause);
    if (error.code !== "model_not_found") throw error;
    // The vendor's message, both for an unknown model and for a model without videos.
    throw invalid("model", `unsupported seedance model: ${read.question.model.slice(0, 128)}`);
  }
}

async function list(exchange: Exchange, deps: TaskViewDeps): Promise<Response> {
  const query = readList(exchange.query);
  const { userId } = requireKey(exchange);
  const { tasks, total } = await deps.tasks.page({ ...query, userId });
  const items = tasks.map((task) => writeTask(exchange, contentTasks, task, deps));
  return json(writeList(items, total), exchange.id);
}

async function remove(exchange: Exchange, deps: Pick<VideoDeps, "tasks">): Promise<Response> {
  const task = await requireTask(exchange, exchange.param("id"), deps);
  if (isOver(task)) await deps.tasks.remove(task);
  else await deps.tasks.cancel(task);
  return json({}, exchange.id);
}
