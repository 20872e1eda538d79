import { schemaOf } from "#lib/rule-schema.ts";
import { REQUEST } from "#styles/image/gateway/fields.ts";
import { arkGenerations } from "#styles/image/ark/inbound.ts";
import { contentTasks } from "#styles/video/ark/inbound.ts";
import { streamableAnswer } from "#http/answer.ts";
import type { HttpDeps } from "#http/deps.ts";
import type { Route } from "#http/routes.ts";
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
export const arkOperations: readonly Route<HttpDeps>[] = [CONTENT_TASKS_BASE, ARK_BASE].flatMap(
  (base) => [
    ...[
      createChatCompletion,
      createResponse,
      getResponse,
      deleteResponse,
      cancelResponse,
      listInputItems,
      createEmbedding,
    ].map((route) => ({
      ...inArkShape(route),
      operationId: `${route.operationId}${suffixOf(base)}`,
      path: route.path.replace(/^\/v1/, base),
    })),
    {
      ...inArkShape(createChatCompletion),
      family: "images",
      operationId: `createImage${suffixOf(base)}`,
      tag: "Images",
      answer: streamableAnswer(IMAGES),
      requestSchema: () => schemaOf(REQUEST),
      path: `${base}/images/generations`,
      summary: "Makes pictures, in the shape that the vendor's clients read.",
      handle: (exchange, deps) => serveImages(exchange, arkGenerations, deps),
    },
  ],
);

/** Video task routes below the vendor's base path. */
export const arkTaskOperations: readonly Route<HttpDeps>[] = contentTaskOperations.map((route) => ({
  ...route,
  operationId: `${route.operationId}${suffixOf(ARK_BASE)}`,
  path: route.path.replace(CONTENT_TASKS_BASE, ARK_BASE),
}));

function inArkShape(route: Route<HttpDeps>): Route<HttpDeps> {
  return { ...route, renderError: contentTasks.inbound.buildError };
}
