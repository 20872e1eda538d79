import type { OutputFormat } from "../engine/conversation.ts";
import type { JsonObject } from "../json.ts";
import type { RequestDialect } from "./dialect.ts";
import { invalid } from "./error.ts";
import { field, readBoolean, readChoice, readObject, readText, required } from "./fields.ts";
import type { Message } from "./messages.ts";
import { checkStrictSchema } from "./strict-schema.ts";

export function readResponseFormat(
  body: JsonObject,
  messages: readonly Message[],
  { needsJsonWord }: Pick<RequestDialect, "needsJsonWord">,
): OutputFormat {
  const format = readObject(field(body, "response_format"));
  if (format === undefined) return { kind: "text" };
  const type = field(format, "type", "response_format.type");
  switch (required(type, readChoice(type, ["text", "json_object", "json_schema"]))) {
    case "text":
      return { kind: "text" };
    case "json_object":
      if (needsJsonWord) checkJsonWord(messages);
      return { kind: "json" };
    case "json_schema":
      return readJsonSchema(format);
  }
}

/** Without the word a model may never stop writing blanks, so the vendor insists on it. */
function checkJsonWord(messages: readonly Message[]): void {
  if (messages.some((message) => /json/i.test(message.text))) return;
  throw invalid(
    "messages",
    null,
    "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
  );
}

function readJsonSchema(format: JsonObject): OutputFormat {
  const path = "response_format.json_schema";
  const wrapper = required(
    field(format, "json_schema", path),
    readObject(field(format, "json_schema", path)),
  );
  const name = required(
    field(wrapper, "name", `${path}.name`),
    readText(field(wrapper, "name", `${path}.name`), 64),
  );
  if (!/^[\w-]+$/.test(name)) {
    throw invalid(
      `${path}.name`,
      "invalid_value",
      `Invalid '${path}.name': expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
    );
  }
  const schema = readObject(field(wrapper, "schema", `${path}.schema`)) ?? { type: "object" };
  if (readBoolean(field(wrapper, "strict", `${path}.strict`)) === true) {
    checkStrictSchema(schema, {
      label: `response_format '${name}'`,
      param: "response_format",
      code: null,
    });
  }
  return { kind: "schema", schema };
}
