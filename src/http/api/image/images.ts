import type { ImageRequest, InboundImageFormat } from "#core/image.ts";
import { schemaOf } from "#lib/rule-schema.ts";
import type { ObjectRule } from "#lib/rules.ts";
import { DRAW, drawStream } from "#relay/draw.ts";
import { REQUEST } from "#styles/image/gateway/fields.ts";
import { gateway } from "#styles/image/gateway/index.ts";
import { edits, generations, variations } from "#styles/image/openai/index.ts";
import { EDIT_REQUEST } from "#styles/image/openai/read-edit.ts";
import { answerQuestion, askedBy, readQuestion } from "#http/api/operation/serve-question.ts";
import { streamableAnswer } from "#http/answer.ts";
import type { ImageDeps, OperationDeps } from "#http/deps/operations.ts";
import { lossyHeader } from "#http/lossy-header.ts";
import { withIdempotency } from "#http/idempotency.ts";
import { SERVER_SENT_EVENTS, STREAM_HEADERS, type Reply } from "#http/reply.ts";
import type { Exchange, Endpoint } from "#http/routes.ts";
import { IMAGES, IMAGES_IN_EITHER_SHAPE } from "./answers.ts";
import { shapeFor } from "./shape.ts";

export const imageOperations: readonly Endpoint<ImageDeps>[] = [
  {
    operationId: "createImage",
    tag: "Images",
    answer: streamableAnswer(IMAGES_IN_EITHER_SHAPE),
    method: "POST",
    path: "/v1/images/generations",
    access: "key",
    family: "images",
    summary: "Creates images from texts and other images.",
    requestSchema: () => schemaOf(REQUEST),
    renderError: (error) => gateway.inbound.buildError(error),
    handle: (exchange, deps) =>
      serveImages(exchange, shapeFor(exchange.request, deps.imageShape()), deps),
  },
  route(
    "createImageOpenai",
    "/openai/v1/images/generations",
    "The same, in the other shape.",
    generations,
    REQUEST,
  ),
  ...["", "/openai"].flatMap((prefix) => [
    route(
      prefix === "" ? "editImage" : "editImageOpenai",
      `${prefix}/v1/images/edits`,
      "Changes pictures as words say; as JSON or as a form.",
      edits,
      EDIT_REQUEST,
    ),
    route(
      prefix === "" ? "varyImage" : "varyImageOpenai",
      `${prefix}/v1/images/variations`,
      "Makes other versions of a picture; as a form.",
      variations,
    ),
  ]),
];

function route(
  operationId: string,
  path: string,
  summary: string,
  format: InboundImageFormat,
  rule?: ObjectRule,
): Endpoint<OperationDeps> {
  return {
    operationId,
    tag: "Images",
    answer: streamableAnswer(IMAGES),
    method: "POST",
    path,
    access: "key",
    family: "images",
    summary,
    ...(rule && { requestSchema: () => schemaOf(rule) }),
    renderError: (error) => format.inbound.buildError(error),
    handle: (exchange, deps) => serveImages(exchange, format, deps),
  };
}

export async function serveImages(
  exchange: Exchange,
  format: InboundImageFormat,
  deps: OperationDeps,
): Promise<Response> {
  const { question, sent } = await readQuestion(exchange, format, deps.limits.mediaBodyBytes);
  return await withIdempotency(exchange, sent, deps, () =>
    question.stream
      ? streamImages(exchange, question, format, deps)
      : answerQuestion(exchange, question, format, DRAW, deps),
  );
}

async function streamImages(
  exchange: Exchange,
  question: ImageRequest,
  format: InboundImageFormat,
  deps: Pick<OperationDeps, "relay" | "limits" | "clock">,
): Promise<Reply> {
  const asked = askedBy(exchange, question, format.id, DRAW, deps);
  using _pause = exchange.suspendIdleTimeout();
  const answer = await drawStream(asked, format.inbound.openEncoder, deps.relay);
  exchange.setStall(deps.limits.callerStallMs);
  return {
    kind: "stream",
    headers: {
      ...STREAM_HEADERS,
      "content-type": SERVER_SENT_EVENTS,
      ...lossyHeader(answer.lost),
    },
    fill: (sink) => answer.send(sink),
  };
}
