import { schemaOf } from "#lib/rule-schema.ts";
import { longPredictions } from "#styles/video/veo/inbound.ts";
import { REQUEST } from "#styles/video/veo/read-prediction.ts";
import { suffixOf } from "#http/api/text/path-suffix.ts";
import { readOperation } from "#http/api/text/native.ts";
import { jsonAnswer } from "#http/answer.ts";
import type { SubmissionDeps, TaskViewDeps } from "#http/deps/videos.ts";
import type { Endpoint } from "#http/routes.ts";
import { OPERATION } from "./answers.ts";
import { serveSubmit, serveTask } from "./serve-task.ts";

const COMMON = {
  access: "key",
  family: "videos",
  tag: "Videos",
  answer: jsonAnswer(OPERATION),
  renderError: longPredictions.inbound.buildError,
} as const;

/**
 * Separate routes from the native text operations and models: they belong to another endpoint
 * family.
 */
export const nativeVideos: readonly Endpoint<SubmissionDeps>[] = ["/v1beta", "/v1"].flatMap(
  (version) => [
    {
      ...COMMON,
      operationId: `predictLongRunning${suffixOf(version)}`,
      method: "POST",
      path: `${version}/models/:model{.+:predictLongRunning}`,
      summary: "Creates videos in the native style.",
      requestSchema: () => schemaOf(REQUEST),
      handle(exchange, deps) {
        const { model } = readOperation(exchange.param("model"));
        return serveSubmit(exchange, longPredictions, deps, { model });
      },
    },
    {
      ...look(`${version}/models/:operation{.+/operations/[^/]+}`),
      operationId: `getModelOperation${suffixOf(version)}`,
      template: `${version}/models/{model}/operations/{operation}`,
    },
    {
      ...look(`${version}/operations/:operation`),
      operationId: `getOperation${suffixOf(version)}`,
    },
  ],
);

function look(path: string) {
  return {
    ...COMMON,
    method: "GET",
    path,
    summary: "Status of videos, as an operation of the native style.",
    handle(exchange, deps) {
      const operation = exchange.param("operation");
      const id = operation.slice(operation.lastIndexOf("/") + 1);
      return serveTask(exchange, longPredictions, id, deps);
    },
  } satisfies Partial<Endpoint<TaskViewDeps>>;
}
