import type { OutputFormat } from "@sluice/sandbox/engine/conversation.ts";
import type { JsonObject } from "@sluice/sandbox/json.ts";
import { ApiError, invalid } from "../error.ts";
import { field, readBoolean, readChoice, readObject, readText, required } from "../fields.ts";
import type { Message } from "../messages.ts";
import { checkStrictSchema } from "../strict-schema.ts";

export interface TextSettings {
  readonly format: OutputFormat;
  readonly echo: JsonObject;
}

export function readTextSettings(body: JsonObject): TextSettings {
  const text = readObject(field(body, "text")) ?? {};
  const verbosity =
    readChoice(field(text, "verbosity", "text.verbosity"), ["low", "medium", "high"]) ?? "medium";
  const format = readObject(field(text, "format", "text.format")) ?? { type: "text" };
  const typeField = field(format, "type", "text.format.type");
  const type = required(typeField, readChoice(typeField, ["text", "json_object", "json_schema"]));
  switch (type) {
    case "text":
      return { format: { kind: "text" }, echo: { format: { type }, verbosity } };
    case "json_object":
      return { format: { kind: "json" }, echo: { format: { type }, verbosity } };
    case "json_schema":
      return readSchema(format, verbosity);
  }
}

function readSchema(format: JsonObject, verbosity: string): TextSettings {
  const nameField = field(format, "name", "text.format.name");
  const name = required(nameField, readText(nameField, 64));
  if (!/^[\w-]+$/.test(name)) {
    throw invalid(
      "text.format.name",
      "invalid_value",
      "Invalid 'text.format.name': expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    );
  }
  const schemaField = field(format, "schema", "text.format.schema");
  const schema = required(schemaField, readObject(schemaField));
  const strict = readBoolean(field(format, "strict", "text.format.strict")) ?? false;
  if (strict) {
    checkStrictSchema(schema, {
      label: `response_format '${name}'`,
      param: "text.format.schema",
      code: "invalid_json_schema",
    });
  }
  const description = readText(field(format, "description", "text.format.description")) ?? null;
  return {
    format: { kind: "schema", schema },
    echo: { format: { type: "json_schema", description, name, schema, strict }, verbosity },
  };
}

/** Without the word a model may never stop writing blanks, so the vendor insists on it. */
export function checkJsonWord({ format }: TextSettings, messages: readonly Message[]): void {
  if (format.kind !== "json" || messages.some((message) => /json/i.test(message.text))) return;
  throw new ApiError(400, {
    message:
      "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.",
    param: "input",
  });
}
