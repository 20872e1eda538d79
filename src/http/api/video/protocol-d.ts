import { schemaOf } from "#lib/rule-schema.ts";
import { REQUEST } from "#styles/video/minimax/fields.ts";
import { minimaxVideo } from "#styles/video/minimax/index.ts";
import { jsonAnswer } from "#http/answer.ts";
import type { SubmissionDeps } from "#http/deps/videos.ts";
import type { Endpoint } from "#http/routes.ts";
import { PROTOCOL_D_SUBMITTED, PROTOCOL_D_TASK } from "./answers.ts";
import { inFormat, serveSubmit, serveTask } from "./serve-task.ts";

export const protocolD: readonly Endpoint<SubmissionDeps>[] = [
  {
    ...inFormat(minimaxVideo),
    operationId: "createProtocolDTask",
    answer: jsonAnswer(PROTOCOL_D_SUBMITTED),
    method: "POST",
    path: "/videod/v2/video_generation",
    summary: "Creates a video from text, images, videos and audio.",
    requestSchema: () => schemaOf(REQUEST),
    handle: (exchange, deps) => serveSubmit(exchange, minimaxVideo, deps),
  },
  {
    ...inFormat(minimaxVideo),
    operationId: "getProtocolDTask",
    answer: jsonAnswer(PROTOCOL_D_TASK),
    method: "GET",
    path: "/videod/v2/query/video_generation/:id",
    summary: "Progress of a video and its address.",
    handle: (exchange, deps) => serveTask(exchange, minimaxVideo, exchange.param("id"), deps),
  },
];
