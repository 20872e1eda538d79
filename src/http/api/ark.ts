import { schemaOf } from "#lib/rule-schema.ts";
import { REQUEST } from "#styles/image/gateway/fields.ts";
import { arkGenerations } from "#styles/image/ark/inbound.ts";
import { contentTasks } from "#styles/video/ark/inbound.ts";
import { streamableAnswer } from "#http/answer.ts";
import type { OperationDeps } from "#http/deps/operations.ts";
import type { ConversationDeps } from "#http/deps/text.ts";
import type { VideoDeps } from "#http/deps/videos.ts";
import type { Endpoint } from "#http/routes.ts";
import { IMAGES } from "./image/answers.ts";
import { serveImages } from "./image/images.ts";
import { createEmbedding } from "./operation/create-embedding.ts";
import { suffixOf } from "./text/path-suffix.ts";
import { createChatCompletion } from "./text/chat-completions.ts";
import { createResponse } from "./text/responses.ts";
import {
  cancelResponse,
  deleteResponse,
  getResponse,
  listInputItems,
} from "./text/stored-responses.ts";
import { contentTaskOperations, CONTENT_TASKS_BASE } from "./video/content-tasks.ts";

/** Base path of the vendor's API, for clients that only change the host. */
export const ARK_BASE = "/api/v3";

/** The vendor's clients use one base URL for all APIs and parse one error format. */
const BASES = [CONTENT_TASKS_BASE, ARK_BASE];

export const arkText: readonly Endpoint<ConversationDeps>[] = BASES.flatMap((base) =>
  [
    createChatCompletion,
    createResponse,
    getResponse,
    deleteResponse,
    cancelResponse,
    listInputItems,
  ].map((endpoint) => inArkShape(endpoint, base)),
);

export const arkOperations: readonly Endpoint<OperationDeps>[] = BASES.flatMap((base) => [
  inArkShape(createEmbedding, base),
  {
    ...inArkShape(createEmbedding, base),
    family: "images",
    operationId: `createImage${suffixOf(base)}`,
    tag: "Images",
    answer: streamableAnswer(IMAGES),
    requestSchema: () => schemaOf(REQUEST),
    path: `${base}/images/generations`,
    summary: "Creates images and answers in the vendor's format.",
    handle: (exchange, deps) => serveImages(exchange, arkGenerations, deps),
  },
]);

/** Video task routes below the vendor's base path. */
export const arkTaskOperations: readonly Endpoint<VideoDeps>[] = contentTaskOperations.map(
  (route) => ({
    ...route,
    operationId: `${route.operationId}${suffixOf(ARK_BASE)}`,
    path: route.path.replace(CONTENT_TASKS_BASE, ARK_BASE),
  }),
);

function inArkShape<Deps>(endpoint: Endpoint<Deps>, base: string): Endpoint<Deps> {
  return {
    ...endpoint,
    operationId: `${endpoint.operationId}${suffixOf(base)}`,
    path: endpoint.path.replace(/^\/v1/, base),
    renderError: contentTasks.inbound.buildError,
  };
}
