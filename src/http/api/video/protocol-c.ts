import { isOver } from "#core/task.ts";
import { invalid } from "#core/error.ts";
import { schemaOf } from "#lib/rule-schema.ts";
import { REQUEST } from "#styles/video/vidu/fields.ts";
import { viduVideo } from "#styles/video/vidu/index.ts";
import { PATHS } from "#styles/video/vidu/read-scenario.ts";
import { jsonAnswer } from "#http/answer.ts";
import type { SubmissionDeps, VideoDeps } from "#http/deps/videos.ts";
import { json } from "#http/json.ts";
import type { Exchange, Endpoint } from "#http/routes.ts";
import { pascalCase } from "#lib/letter-case.ts";
import { EMPTY_ANSWER, PROTOCOL_C_SUBMITTED, PROTOCOL_C_TASK } from "./answers.ts";
import { inFormat, requireTask, serveSubmit, serveTask } from "./serve-task.ts";

const PREFIX = "/videoc/ent/v2";

/** One path for each way to create a task. */
export const protocolC: readonly Endpoint<SubmissionDeps>[] = [
  ...Object.keys(PATHS).map((scenario): Endpoint<SubmissionDeps> => ({
    ...inFormat(viduVideo),
    operationId: `createProtocolCTask${pascalCase(scenario)}`,
    answer: jsonAnswer(PROTOCOL_C_SUBMITTED),
    method: "POST",
    path: `${PREFIX}/${scenario}`,
    summary: "Creates a video.",
    requestSchema: () => schemaOf(REQUEST),
    handle: (exchange, deps) => serveSubmit(exchange, viduVideo, deps, { scenario }),
  })),
  {
    ...inFormat(viduVideo),
    operationId: "getProtocolCTask",
    answer: jsonAnswer(PROTOCOL_C_TASK),
    method: "GET",
    path: `${PREFIX}/tasks/:id/creations`,
    summary: "Results and progress of a video.",
    handle: (exchange, deps) => serveTask(exchange, viduVideo, exchange.param("id"), deps),
  },
  {
    ...inFormat(viduVideo),
    operationId: "cancelProtocolCTask",
    answer: jsonAnswer(EMPTY_ANSWER),
    method: "POST",
    path: `${PREFIX}/tasks/:id/cancel`,
    summary: "Cancels a video that has not begun, if its upstream supports it.",
    handle: cancel,
  },
];

/** The body only repeats the task id. */
async function cancel(exchange: Exchange, deps: Pick<VideoDeps, "tasks">): Promise<Response> {
  const task = await requireTask(exchange, exchange.param("id"), deps);
  if (isOver(task)) throw invalid("id", `The task has already ended: it ${task.status}.`);
  await deps.tasks.cancel(task);
  return json({}, exchange.id);
}
