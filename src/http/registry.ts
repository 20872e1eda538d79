import { listModels, getModel } from "./api/list-models.ts";
import { livez, metrics, readyz } from "./api/status.ts";
import { createChatCompletion } from "./api/text/chat-completions.ts";
import type { HttpDeps } from "./deps.ts";
import { json } from "./json.ts";
import { buildOpenApi } from "./openapi.ts";
import type { Route } from "./routes.ts";

const VERSION = "0.1.0";

/** Everything that is served. */
export function buildRegistry(isDraining: () => boolean): readonly Route<HttpDeps>[] {
  const routes: Route<HttpDeps>[] = [
    createChatCompletion,
    listModels,
    getModel,
    livez,
    readyz(isDraining),
    metrics,
  ];
  routes.push({
    ...livez,
    path: "/openapi.json",
    summary: "This document.",
    handle: ({ id }) => json(buildOpenApi(routes, VERSION), id),
  });
  return routes;
}
