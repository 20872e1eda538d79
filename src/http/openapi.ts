import type { z } from "zod";
import { FAULTS, GatewayError, type FaultCode } from "#core/error.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, objectOf, textOf } from "#lib/values.ts";
import { FAILURE } from "./api/management.ts";
import { renderFailure } from "./api/envelope.ts";
import type { Answer } from "./answer.ts";
import type { OpenAccess, Permission, RouteDescription, RouteOperation } from "./routes.ts";
import { sampleSchema } from "./sample-schema.ts";
import { jsonSchemaOf } from "./schema.ts";
import { SESSION_COOKIE } from "./session-cookie.ts";
import { TAGS } from "./tags.ts";
import { templateOf } from "./template.ts";

/** The API document, made from the registry, so that it cannot say what is not served. */
export function buildOpenApi(routes: readonly RouteDescription[], version: string): JsonObject {
  return new Document().build(routes, version);
}

const SECURITY: Record<OpenAccess, readonly JsonObject[]> = {
  public: [],
  vendor: [],
  link: [],
  key: [{ bearer: [] }, { apiKeyHeader: [] }],
  metrics: [{ bearer: [] }],
};

/** A scope stands where the standard lists the roles that a credential needs. */
function securityOf({ access, scope }: Permission): readonly JsonObject[] {
  if (scope !== undefined) return [{ session: [] }, { accessToken: [scope] }];
  return SECURITY[access];
}

const SECURITY_SCHEMES: JsonObject = {
  bearer: { type: "http", scheme: "bearer", description: "An API key." },
  accessToken: {
    type: "http",
    scheme: "bearer",
    description: "A user's access token. Each operation names the scope that it needs.",
  },
  session: { type: "apiKey", in: "cookie", name: SESSION_COOKIE },
  apiKeyHeader: { type: "apiKey", in: "header", name: "x-api-key" },
};

class Document {
  readonly #schemas: Record<string, Json> = {};
  /** Names of components by their content. */
  readonly #names = new Map<string, string>();
  readonly #usedTags = new Set<string>();

  build(routes: readonly RouteDescription[], version: string): JsonObject {
    const repeated = repeatedBodies(routes);
    const paths: Record<string, Record<string, JsonObject>> = {};
    for (const route of routes) {
      for (const operation of operationsOf(route)) {
        const methods = (paths[operation.template] ??= {});
        const method = route.method.toLowerCase();
        // The first route at a path is the one that is served.
        if (method in methods) continue;
        const described = this.#operation(route, operation, repeated);
        methods[method] = described;
        if (route.isFile === true) methods["head"] = headOf(described);
      }
    }
    return {
      openapi: "3.1.0",
      info: {
        title: "Sluice",
        version,
        description: "Self-hosted LLM gateway: one API for all models.",
        license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      },
      servers: [{ url: "/" }],
      tags: Object.entries(TAGS)
        .filter(([name]) => this.#usedTags.has(name))
        .map(([name, description]) => ({ name, description })),
      paths,
      components: { securitySchemes: SECURITY_SCHEMES, schemas: this.#schemas },
    };
  }

  #operation(
    route: RouteDescription,
    { template, operationId, summary, answer, query }: RouteOperation,
    repeated: ReadonlySet<string>,
  ): JsonObject {
    this.#usedTags.add(route.tag);
    const parameters = [...pathParameters(template), ...this.#queryParameters(query)];
    const body = this.#body(route, operationId, repeated);
    return {
      operationId,
      tags: [route.tag],
      summary,
      security: securityOf(route),
      ...(parameters.length === 0 ? {} : { parameters }),
      ...(body === undefined ? {} : { requestBody: { required: true, content: body } }),
      responses: this.#responses(route, operationId, answer),
    };
  }

  #queryParameters(query: z.ZodObject | undefined): readonly JsonObject[] {
    if (query === undefined) return [];
    const { properties, required } = this.#own(jsonSchemaOf(query));
    const names = new Set(listOf(required));
    return Object.entries(objectOf(properties) ?? {}).map(([name, schema = {}]) => {
      const { description, ...rest } = objectOf(schema) ?? {};
      return {
        name,
        in: "query",
        ...(names.has(name) ? { required: true } : {}),
        ...(description === undefined ? {} : { description }),
        schema: rest,
      };
    });
  }

  #body(
    { requestSchema, takesForm, takesYaml }: RouteDescription,
    operationId: string,
    repeated: ReadonlySet<string>,
  ): JsonObject | undefined {
    if (takesYaml === true) return { "application/yaml": { schema: { type: "string" } } };
    if (requestSchema === undefined) return undefined;
    const schema = this.#own(requestSchema());
    const text = JSON.stringify(schema);
    const named = repeated.has(text) ? this.#named(text, schema, `${operationId}Request`) : schema;
    return { [takesForm === true ? "multipart/form-data" : "application/json"]: { schema: named } };
  }

  #responses(route: RouteDescription, operationId: string, answer: Answer): JsonObject {
    const content = Object.entries(answer.content).map(
      ([type, schema]) => [type, { schema: this.#own(jsonSchemaOf(schema)) }] as const,
    );
    const good = {
      description: answer.description,
      ...(content.length === 0 ? {} : { content: Object.fromEntries(content) }),
    };
    const failure = { "application/json": { schema: this.#failure(route, operationId) } };
    const codes = failuresOf(route).map(
      (code) =>
        [FAULTS[code].status, { description: DESCRIPTIONS[code], content: failure }] as const,
    );
    return {
      [String(answer.status ?? 200)]: good,
      ...(route.isFile === true
        ? { "206": { ...good, description: "The range of the file." } }
        : {}),
      ...Object.fromEntries(codes),
      default: { description: "Another error, in the same format.", content: failure },
    };
  }

  /** The form of a route's errors, read off errors that the route itself renders. */
  #failure(route: RouteDescription, operationId: string): JsonObject {
    if (route.renderError === renderFailure) return this.#own(jsonSchemaOf(FAILURE));
    const request = new Request(`http://gateway.invalid${route.path}`);
    const samples = SAMPLES.map((error) => route.renderError(error, request, "0"));
    const schema = sampleSchema(samples);
    return this.#named(JSON.stringify(schema), schema, `${operationId}Error`);
  }

  #named(text: string, schema: JsonObject, name: string): JsonObject {
    let known = this.#names.get(text);
    if (known === undefined) {
      known = name.slice(0, 1).toUpperCase() + name.slice(1);
      this.#names.set(text, known);
      this.#schemas[known] = schema;
    }
    return { $ref: `#/components/schemas/${known}` };
  }

  /** Moves definitions of a schema to the components of the document. */
  #own(schema: JsonObject): JsonObject {
    const { $defs, ...rest } = schema;
    for (const [name, definition = null] of Object.entries(objectOf($defs) ?? {})) {
      const { id: _, ...shown } = objectOf(relinked(definition)) ?? {};
      this.#schemas[name] ??= shown;
    }
    return objectOf(relinked(rest)) ?? {};
  }
}

function relinked(value: Json): Json {
  if (isArray(value)) return value.map(relinked);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member = null]) => [
      name,
      name === "$ref" && typeof member === "string"
        ? member.replace("#/$defs/", "#/components/schemas/")
        : relinked(member),
    ]),
  );
}

function operationsOf(route: RouteDescription): readonly RouteOperation[] {
  const { path, template = templateOf(path) } = route;
  return route.operations ?? [{ ...route, template }];
}

/** Bodies that several operations take, as text. */
function repeatedBodies(routes: readonly RouteDescription[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const route of routes) {
    const times = route.operations?.length ?? 1;
    const text = JSON.stringify(route.requestSchema?.() ?? {});
    if (seen.has(text) || times > 1) repeated.add(text);
    seen.add(text);
  }
  return repeated;
}

function pathParameters(template: string): readonly JsonObject[] {
  return [...template.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}

function headOf({ operationId, responses, ...operation }: JsonObject): JsonObject {
  const { "206": _, ...others } = objectOf(responses) ?? {};
  const { content: __, ...good } = objectOf(others["200"]) ?? {};
  return {
    ...operation,
    operationId: `${textOf(operationId)}Head`,
    responses: { ...others, "200": { ...good, description: "Headers of the file." } },
  };
}

/** The common errors of a route; others are left to `default`. */
function failuresOf({ access, scope, path }: RouteDescription): readonly DescribedFault[] {
  return [
    // Any request may have a Host that is not valid.
    "invalid_request",
    ...(access === "public" || access === "vendor" || access === "link"
      ? []
      : (["unauthenticated"] as const)),
    ...(access === "key" ? (["out_of_quota", "forbidden", "rate_limited"] as const) : []),
    ...(scope === undefined ? [] : (["forbidden"] as const)),
    ...(path.includes("/:") || access === "key" ? (["not_found"] as const) : []),
    "unavailable",
  ];
}

const DESCRIPTIONS = {
  invalid_request: "The request is not valid.",
  unauthenticated: "No valid credential was sent.",
  out_of_quota: "The quota is exhausted.",
  forbidden: "The credential does not allow this.",
  not_found: "The object or model does not exist.",
  rate_limited: "A rate limit is exceeded; `Retry-After` says when to try again.",
  unavailable: "The gateway or its upstreams cannot serve the request now.",
} as const satisfies Partial<Record<FaultCode, string>>;

type DescribedFault = keyof typeof DESCRIPTIONS;

const SAMPLES: readonly GatewayError[] = [
  new GatewayError("invalid_request", "Sample.", { param: "sample" }),
  new GatewayError("unauthenticated", "Sample."),
  new GatewayError("out_of_quota", "Sample."),
  new GatewayError("forbidden", "Sample."),
  new GatewayError("not_found", "Sample."),
  new GatewayError("rate_limited", "Sample.", { retryAfterMs: 1_000 }),
  new GatewayError("upstream_failed", "Sample."),
  new GatewayError("internal", "Sample."),
];
