import { z } from "zod";
import type { GatewayError } from "#core/error.ts";
import { invalid } from "#core/error.ts";
import { validate } from "#core/validate.ts";
import type { JsonObject } from "#lib/json.ts";
import type { ObjectRule } from "#lib/rules.ts";
import { objectRuleOf } from "#lib/schema-rule.ts";
import { objectOf } from "#lib/values.ts";
import { jsonAnswer, type Answer } from "../answer.ts";
import { compressed } from "../compressed.ts";
import type { Endpoint, Exchange, Permission, RouteFacts } from "../routes.ts";
import { jsonSchemaOf } from "../schema.ts";
import { MAX_BODY_BYTES, renderFailure } from "./envelope.ts";

type NoFields = z.ZodObject<Record<never, never>>;

type Definition<Q extends z.ZodObject, B extends z.ZodObject, Deps> = Permission &
  Parts<Q, B, Deps>;

interface Parts<Q extends z.ZodObject, B extends z.ZodObject, Deps> extends Omit<
  RouteFacts,
  "query" | "answer" | "requestSchema" | "renderError"
> {
  /** Parameters of the query, as texts. An unknown parameter is refused, since a misspelt filter would be no filter. */
  readonly query?: Q;
  /** The query comes from another server, which may add parameters. */
  readonly allowsOtherQuery?: true;
  /** Fields of the body. A field that it does not name is refused, since a misspelt bound would be no bound. */
  readonly body?: B;
  /** Schema of `data`; absent if the answer has none. */
  readonly data?: z.ZodType;
  /** In place of the envelope. */
  readonly answer?: Answer;
  /** The body and the query are read and checked before. */
  readonly handle: (
    exchange: Exchange,
    deps: Deps,
    input: { readonly query: z.output<Q>; readonly body: z.output<B> },
  ) => Promise<Response> | Response;
}

/** A route of the management API. Its schemas make the API document and the checks of requests. */
export function management<
  Q extends z.ZodObject = NoFields,
  B extends z.ZodObject = NoFields,
  Deps = unknown,
>({
  query,
  body,
  data,
  allowsOtherQuery,
  answer = jsonAnswer(envelope(data)),
  handle,
  ...route
}: Definition<Q, B, Deps>): Endpoint<Deps> {
  const fields = body && new BodyFields(body);
  return {
    ...route,
    ...(query === undefined ? {} : { query }),
    ...(fields === undefined ? {} : { requestSchema: () => fields.jsonSchema }),
    answer,
    renderError: renderFailure,
    async handle(exchange, deps) {
      if (allowsOtherQuery !== true) refuseOtherQuery(exchange, query);
      const maxBytes = route.maxBodyBytes ?? MAX_BODY_BYTES;
      // Without a schema there is nothing to read, and no handler has a name for it.
      const given = (fields && (await fields.read(exchange, maxBytes))) as z.output<B>;
      const asked = (query && readQuery(exchange.query, query)) as z.output<Q>;
      const response = await handle(exchange, deps, { query: asked, body: given });
      return route.method === "GET" ? await compressed(exchange.request, response) : response;
    },
  };
}

/** [Part A 4.1] */
export function envelope(data?: z.ZodType): z.ZodType {
  return z.object({
    success: z.literal(true),
    message: z.string(),
    ...(data === undefined ? {} : { data }),
  });
}

export const FAILURE = z
  .object({ success: z.literal(false), message: z.string(), data: z.looseObject({}).optional() })
  .meta({ id: "Failure" });

/** A page of items. */
export function items(item: z.ZodType) {
  return z.object({ items: z.array(item) });
}

class BodyFields<B extends z.ZodObject> {
  readonly #schema: B;
  #made: { readonly jsonSchema: JsonObject; readonly rule: ObjectRule } | undefined;

  constructor(schema: B) {
    this.#schema = schema;
  }

  get jsonSchema(): JsonObject {
    return this.#all.jsonSchema;
  }

  get #all() {
    if (this.#made === undefined) {
      const jsonSchema = jsonSchemaOf(this.#schema);
      this.#made = { jsonSchema, rule: objectRuleOf(jsonSchema) };
    }
    return this.#made;
  }

  async read(exchange: Exchange, maxBytes: number): Promise<z.output<B>> {
    const { json } = await exchange.readJson(maxBytes);
    validate(json, this.#all.rule);
    this.#refuseUnknown(json);
    const parsed = this.#schema.safeParse(json);
    if (parsed.success) return parsed.data;
    throw refusalOf(parsed.error);
  }

  #refuseUnknown(json: JsonObject): void {
    const { properties, additionalProperties } = this.#all.jsonSchema;
    if (additionalProperties !== false) return;
    const known = objectOf(properties) ?? {};
    const unknown = Object.keys(json).find((name) => !Object.hasOwn(known, name));
    if (unknown === undefined) return;
    const settable = Object.keys(known).filter(
      (name) => objectOf(known[name])?.["readOnly"] !== true,
    );
    const param = unknown.slice(0, 64);
    throw invalid(param, `'${param}' is not known here; the fields are: ${settable.join(", ")}.`);
  }
}

function refuseOtherQuery({ request, query }: Exchange, schema: z.ZodObject | undefined): void {
  if (!request.url.includes("?")) return;
  const known = Object.keys(schema?.shape ?? {});
  const seen = new Set<string>();
  for (const name of query.keys()) {
    const param = name.slice(0, 64);
    if (!known.includes(name)) {
      const all = known.length === 0 ? "none" : known.join(", ");
      throw invalid(param, `'${param}' is not known here; the parameters are: ${all}.`);
    }
    if (seen.has(name)) throw invalid(param, `'${param}' is given more than once.`);
    seen.add(name);
  }
}

function readQuery<Q extends z.ZodObject>(query: URLSearchParams, schema: Q): z.output<Q> {
  const given = Object.keys(schema.shape).map((name) => [name, query.get(name) ?? undefined]);
  const parsed = schema.safeParse(Object.fromEntries(given));
  if (parsed.success) return parsed.data;
  throw refusalOf(parsed.error);
}

/**
 * The first issue that a schema found. Issues of our own schemas have a message
 * that completes the name of the field; a whole sentence stands as it is. No
 * message holds the value.
 */
function refusalOf({ issues: [issue] }: z.ZodError): GatewayError {
  if (issue === undefined) throw new Error("A schema refused a body without an issue.");
  const param = pathOf(issue.path);
  const { message } = issue;
  const isSentence = issue.code === "custom" && issue.params?.["isSentence"] === true;
  const problem = issue.code === "custom" ? message : "has an invalid value";
  return invalid(param, isSentence ? message : `'${param}' ${problem}.`);
}

function pathOf(path: readonly PropertyKey[]): string {
  return path
    .map((step, at) => {
      if (typeof step === "number") return `[${step}]`;
      const name = String(step).slice(0, 64);
      return at === 0 ? name : `.${name}`;
    })
    .join("");
}
