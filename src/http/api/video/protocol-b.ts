import { GatewayError, invalid } from "#core/error.ts";
import { validate } from "#core/validate.ts";
import { schemaOf } from "#lib/rule-schema.ts";
import { textOf } from "#lib/values.ts";
import { QUERY, REQUEST } from "#styles/video/jimeng/fields.ts";
import { jimengVideo } from "#styles/video/jimeng/index.ts";
import { jsonAnswer } from "#http/answer.ts";
import type { SubmissionDeps, TaskViewDeps, VideoDeps } from "#http/deps/videos.ts";
import type { Exchange, Endpoint } from "#http/routes.ts";
import { PROTOCOL_B_ANSWER, PROTOCOL_B_QUERY } from "./answers.ts";
import { answerTask, inFormat, requireTask, serveSubmit } from "./serve-task.ts";

const SUBMIT = "CVSync2AsyncSubmitTask";
const GET_RESULT = "CVSync2AsyncGetResult";
const VERSION = "2022-08-31";

/** One path: the query parameter names the action. */
export const protocolB: Endpoint<SubmissionDeps> = {
  ...inFormat(jimengVideo),
  operationId: "callProtocolB",
  query: PROTOCOL_B_QUERY,
  answer: jsonAnswer(PROTOCOL_B_ANSWER),
  method: "POST",
  path: "/videob",
  summary: `Creates a video, or reads its status: \`?Action=${SUBMIT}\` or \`?Action=${GET_RESULT}\`.`,
  requestSchema: () => ({ anyOf: [schemaOf(REQUEST), schemaOf(QUERY)] }),
  handle(exchange, deps) {
    const action = readAction(exchange.query);
    return action === SUBMIT
      ? serveSubmit(exchange, jimengVideo, deps)
      : serveResult(exchange, deps);
  },
};

function readAction(query: URLSearchParams): string {
  const [action = "", another] = query.getAll("Action");
  if (action === "") throw invalid("Action", "The query parameter 'Action' is required.");
  if (another !== undefined || (action !== SUBMIT && action !== GET_RESULT)) {
    throw invalid("Action", `'Action' must be '${SUBMIT}' or '${GET_RESULT}'.`);
  }
  if (query.getAll("Version").some((version) => version !== VERSION)) {
    throw invalid("Version", `'Version' must be '${VERSION}' or absent.`);
  }
  return action;
}

async function serveResult(
  exchange: Exchange,
  deps: TaskViewDeps & Pick<VideoDeps, "limits">,
): Promise<Response> {
  const { json } = await exchange.readJson(deps.limits.bodyBytes);
  validate(json, QUERY);
  const task = await requireTask(exchange, textOf(json["task_id"]) ?? "", deps);
  // A task is identified by its id together with its model.
  if (task.model !== json["req_key"]) {
    throw new GatewayError("not_found", "Task not found.");
  }
  return answerTask(exchange, jimengVideo, task, deps);
}
