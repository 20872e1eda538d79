import { GatewayError, invalid } from "#core/error.ts";
import { schemaOf } from "#lib/rule-schema.ts";
import { REQUEST } from "#styles/video/kling/fields.ts";
import { klingVideo } from "#styles/video/kling/index.ts";
import { PATHS } from "#styles/video/kling/read-media.ts";
import { succeeded } from "#styles/video/kling/build-error.ts";
import { REQUEST as NEWER_REQUEST } from "#styles/video/kling3/fields.ts";
import { kling3Video } from "#styles/video/kling3/index.ts";
import { PATHS as NEWER_PATHS } from "#styles/video/kling3/read-contents.ts";
import { jsonAnswer } from "#http/answer.ts";
import type { SubmissionDeps, TaskViewDeps } from "#http/deps/videos.ts";
import { json } from "#http/json.ts";
import { requireKey } from "#http/require-key.ts";
import type { Exchange, Endpoint } from "#http/routes.ts";
import { pascalCase } from "#lib/letter-case.ts";
import {
  PROTOCOL_E_QUERY,
  PROTOCOL_E_SUBMITTED,
  PROTOCOL_E_TASK,
  PROTOCOL_E_TASKS,
} from "./answers.ts";
import { answerTask, inFormat, serveSubmit } from "./serve-task.ts";

/** The first style has two paths for each scenario: create and query. */
const first = PATHS.flatMap((scenario): readonly Endpoint<SubmissionDeps>[] => {
  const path = `/videoe/v1/videos/${scenario}`;
  return [
    {
      ...inFormat(klingVideo),
      operationId: `createProtocolETask${pascalCase(scenario)}`,
      answer: jsonAnswer(PROTOCOL_E_TASK),
      method: "POST",
      path,
      summary: "Creates a video.",
      requestSchema: () => schemaOf(REQUEST),
      handle: (exchange, deps) => serveSubmit(exchange, klingVideo, deps, { scenario }),
    },
    {
      ...inFormat(klingVideo),
      operationId: `getProtocolETask${pascalCase(scenario)}`,
      answer: jsonAnswer(PROTOCOL_E_TASK),
      method: "GET",
      path: `${path}/:id`,
      summary: "Progress of a video and its address, by its id or the client's own id.",
      handle: serveEither,
    },
  ];
});

/** The newer style names the model in the path, and has one path for all task queries. */
const newer: readonly Endpoint<SubmissionDeps>[] = [
  ...NEWER_PATHS.map((scenario): Endpoint<SubmissionDeps> => ({
    ...inFormat(kling3Video),
    operationId: `createNewerProtocolETask${pascalCase(scenario)}`,
    answer: jsonAnswer(PROTOCOL_E_SUBMITTED),
    method: "POST",
    path: `/videoe/${scenario}/:model`,
    summary: "Creates a video in the newer style.",
    requestSchema: () => schemaOf(NEWER_REQUEST),
    handle: (exchange, deps) =>
      serveSubmit(exchange, kling3Video, deps, { scenario, model: exchange.param("model") }),
  })),
  {
    ...inFormat(kling3Video),
    operationId: "listProtocolETasks",
    query: PROTOCOL_E_QUERY,
    answer: jsonAnswer(PROTOCOL_E_TASKS),
    method: "GET",
    path: "/videoe/tasks",
    summary:
      "Progress of a video and its address: `?task_ids=` or `?external_task_ids=`, with one id.",
    handle: serveListed,
  },
];

export const protocolE: readonly Endpoint<SubmissionDeps>[] = [...first, ...newer];

async function serveEither(exchange: Exchange, deps: TaskViewDeps): Promise<Response> {
  const { userId } = requireKey(exchange);
  const id = exchange.param("id");
  const { tasks } = deps;
  const task = (await tasks.see(userId, id)) ?? (await tasks.seeExternal(userId, id));
  if (task === undefined) throw new GatewayError("not_found", "Task not found.");
  return answerTask(exchange, klingVideo, task, deps);
}

/** Unknown tasks are left out of the list. */
async function serveListed(exchange: Exchange, deps: TaskViewDeps): Promise<Response> {
  const { userId } = requireKey(exchange);
  const { isExternal, id } = readOne(exchange.query);
  const { tasks } = deps;
  const task = await (isExternal ? tasks.seeExternal(userId, id) : tasks.see(userId, id));
  if (task !== undefined) return answerTask(exchange, kling3Video, task, deps);
  return json({ ...succeeded([]), request_id: exchange.id }, exchange.id);
}

function readOne(query: URLSearchParams): { readonly isExternal: boolean; readonly id: string } {
  const ids = query.getAll("task_ids");
  const externalIds = query.getAll("external_task_ids");
  const [id = "", another] = [...ids, ...externalIds];
  if (id === "" || another !== undefined) {
    throw invalid("task_ids", "The query must have either 'task_ids' or 'external_task_ids'.");
  }
  const isExternal = externalIds.length > 0;
  if (!id.includes(",")) return { isExternal, id };
  const name = isExternal ? "external_task_ids" : "task_ids";
  throw invalid(name, `'${name}' must have one id.`);
}
