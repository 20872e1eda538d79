import type { JsonObject } from "#lib/json.ts";
import type { HttpDeps } from "./deps.ts";
import type { Access, Route } from "./routes.ts";
import { SESSION_COOKIE } from "./session-cookie.ts";

/** The API document, made from the registry, so that it cannot say what is not served. */
export function buildOpenApi(routes: readonly Route<HttpDeps>[], version: string): JsonObject {
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const route of routes) {
    const operations = (paths[templateOf(route.path)] ??= {});
    operations[route.method.toLowerCase()] = operationOf(route);
    if (route.isFile === true) operations["head"] = { ...operationOf(route), responses: ANSWERS };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Sluice", version, description: "One gate in front of every model." },
    paths,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer" },
        accessToken: { type: "http", scheme: "bearer", description: "A user's own token." },
        session: { type: "apiKey", in: "cookie", name: SESSION_COOKIE },
        apiKeyHeader: { type: "apiKey", in: "header", name: "x-api-key" },
      },
    },
  };
}

const LOGIN = [{ session: [] }, { accessToken: [] }];

const SECURITY: Record<Access, readonly JsonObject[]> = {
  public: [],
  vendor: [],
  link: [],
  key: [{ bearer: [] }, { apiKeyHeader: [] }],
  metrics: [{ bearer: [] }],
  mfa_pending: LOGIN,
  user: LOGIN,
  auditor: LOGIN,
  admin: LOGIN,
  root: LOGIN,
};

const ANSWERS: JsonObject = {
  "200": { description: "Done." },
  default: { description: "An error, in the style of this endpoint." },
};
const FILE: JsonObject = {
  "video/*": { schema: { type: "string", format: "binary" } },
  "image/*": { schema: { type: "string", format: "binary" } },
};
const FILES: JsonObject = {
  "200": { description: "The file.", content: FILE },
  "206": { description: "The range of it that was asked for.", content: FILE },
};

function operationOf(route: Route<HttpDeps>): JsonObject {
  const parameters = [...route.path.matchAll(/\/:(\w+)/g)].map(([, name]) => ({
    name: name ?? "",
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  return {
    summary: route.summary,
    security: SECURITY[route.access],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.requestSchema === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: {
              [route.takesForm === true ? "multipart/form-data" : "application/json"]: {
                schema: route.requestSchema(),
              },
            },
          },
        }),
    ...(route.takesYaml === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: { "application/yaml": { schema: { type: "string" } } },
          },
        }),
    responses: route.isFile === true ? { ...ANSWERS, ...FILES } : ANSWERS,
  };
}

/** `/v1/models/:id{.+}` is `/v1/models/{id}` there; a verb at the end of a pattern stays. */
export function templateOf(path: string): string {
  return path.replaceAll(/:(\w+)(?:\{[^:}]*(:\w+)?\})?/g, "{$1}$2");
}
