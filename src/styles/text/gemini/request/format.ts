import type { OutputFormat } from "#core/chat.ts";
import type { ModelTraits } from "#core/model.ts";
import type { JsonObject } from "#lib/json.ts";
import { listOf, objectOf, pick } from "#lib/values.ts";
import type { CarriedField } from "#styles/text/request-fields.ts";
import { CONFIG } from "./flat-body.ts";
import { fromSchemaSubset } from "./schema-in.ts";
import { toSchemaSubset } from "./schema-subset.ts";

const TYPE = `${CONFIG}responseMimeType`;
const SUBSET = `${CONFIG}responseSchema`;
const SCHEMA = `${CONFIG}responseJsonSchema`;
const OLDER_SCHEMA = `${CONFIG}_responseJsonSchema`;
const MEMBERS = [TYPE, SUBSET, SCHEMA, OLDER_SCHEMA];

export const FORMAT: CarriedField<"format", { readonly model: ModelTraits }> = {
  members: MEMBERS,
  parse: parseFormat,
  rest: (body) => (parseFormat(body) === undefined ? pick(body, MEMBERS) : {}),
  /** Models that think read JSON schema itself; for older models it is cut to a subset. */
  build(format, { model }) {
    if (format.type === "text") return { members: {} };
    const schema = format.type === "json_schema" ? format.schema : undefined;
    const isOlder = model.reasoningControls === undefined;
    const written = isOlder && schema !== undefined ? toSchemaSubset(schema) : schema;
    return { members: { [TYPE]: "application/json", [isOlder ? SUBSET : SCHEMA]: written } };
  },
};

/** `undefined` for a format that only this style knows. */
function parseFormat(body: JsonObject): OutputFormat | undefined {
  const type = body[TYPE] ?? undefined;
  const schema = schemaIn(body);
  if (type === "text/plain") return { type: "text" };
  if (type === ENUM) return choiceOf(schema);
  if (type !== undefined && type !== "application/json") return undefined;
  if (schema !== undefined) return { type: "json_schema", name: "response", schema };
  return type === undefined ? undefined : { type: "json" };
}

const ENUM = "text/x.enum";

/** Elsewhere an answer has a field for it. */
function choiceOf(schema: JsonObject | undefined): OutputFormat | undefined {
  const choices = listOf(schema?.["enum"]).filter((one) => typeof one === "string");
  if (choices.length === 0) return undefined;
  const only = "choice";
  return {
    type: "json_schema",
    name: "choice",
    schema: {
      type: "object",
      properties: { [only]: { type: "string", enum: choices } },
      required: [only],
      additionalProperties: false,
    },
    strict: true,
    only,
  };
}

function schemaIn(body: JsonObject): JsonObject | undefined {
  const subset = objectOf(body[SUBSET]);
  return (
    objectOf(body[SCHEMA]) ??
    objectOf(body[OLDER_SCHEMA]) ??
    (subset === undefined ? undefined : fromSchemaSubset(subset))
  );
}
