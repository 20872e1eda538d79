import { schemaOf } from "#lib/rule-schema.ts";
import { REQUEST } from "#styles/video/unified/fields.ts";
import { unifiedVideos } from "#styles/video/unified/index.ts";
import { jsonAnswer } from "#http/answer.ts";
import type { SubmissionDeps } from "#http/deps/videos.ts";
import type { Endpoint } from "#http/routes.ts";
import { UNIFIED_TASK } from "./answers.ts";
import { serveSubmit, serveTask } from "./serve-task.ts";

const PATH = "/v1/video/generations";

const COMMON = {
  access: "key",
  family: "videos",
  tag: "Videos",
  answer: jsonAnswer(UNIFIED_TASK),
  renderError: unifiedVideos.inbound.buildError,
} as const;

export const unifiedOperations: readonly Endpoint<SubmissionDeps>[] = [
  {
    ...COMMON,
    operationId: "createVideoTask",
    method: "POST",
    path: PATH,
    summary: "Creates a video with a model of any family. The body is JSON or a form.",
    requestSchema: () => schemaOf(REQUEST),
    handle: (exchange, deps) => serveSubmit(exchange, unifiedVideos, deps),
  },
  {
    ...COMMON,
    operationId: "getVideoTask",
    method: "GET",
    path: `${PATH}/:id`,
    summary: "Progress of a video and its address.",
    handle: (exchange, deps) => serveTask(exchange, unifiedVideos, exchange.param("id"), deps),
  },
];
