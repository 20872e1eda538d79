import type { Tool } from "#core/chat.ts";
import type { ToolText } from "#core/counting.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, objectOf, textOf } from "#lib/values.ts";

/** A tool in the notation of a model family, close enough for counting. */
export function toolText(tool: Tool, kind: ToolText): string {
  switch (kind) {
    case "json":
      return asJson(tool);
    case "types":
      return asType(tool);
    case "words":
      return [tool.name, tool.description ?? "", ...wordsOf(tool.parameters)].join(" ");
  }
}

/**
 * Prompt templates print JSON with a space after each colon and comma, which changes the token
 * count.
 */
function asJson({ name, description = "", parameters = {} }: Tool): string {
  const definition = { type: "function", function: { name, description, parameters } };
  return JSON.stringify(definition).replaceAll('":', '": ').replaceAll(',"', ', "');
}

function asType({ name, description, parameters = {} }: Tool): string {
  const input = objectOf(parameters["properties"]) ?? {};
  const given = Object.keys(input).length === 0 ? "" : `_: ${typeOf(parameters)}`;
  return `${comment(description)}type ${name} = (${given}) => any;\n`;
}

/** A schema as a type expression. */
function typeOf(schema: Json | undefined): string {
  if (!isObject(schema)) return "any";
  const { enum: values, anyOf: choices, type, items, properties } = schema;
  if (isArray(values)) return values.map((value) => JSON.stringify(value)).join(" | ");
  if (isArray(choices)) return choices.map(typeOf).join(" | ");
  if (type === "array") return `${typeOf(items)}[]`;
  if (type === "integer") return "number";
  if (isObject(properties) || type === "object") return objectType(schema);
  if (isArray(type)) return type.map((one) => typeOf({ type: one })).join(" | ");
  return textOf(type) ?? "any";
}

function objectType(schema: JsonObject): string {
  const required = listOf(schema["required"]);
  const members = Object.entries(objectOf(schema["properties"]) ?? {}).map(([name, member]) => {
    const about = isObject(member) ? comment(textOf(member["description"])) : "";
    return `${about}${name}${required.includes(name) ? "" : "?"}: ${typeOf(member)},\n`;
  });
  return members.length === 0 ? "object" : `{\n${members.join("")}}`;
}

function comment(text: string | undefined): string {
  return text === undefined || text === "" ? "" : `// ${text}\n`;
}

/** The text of a schema besides its keywords: names, descriptions, values. */
function wordsOf(schema: Json | undefined): string[] {
  if (isArray(schema)) return schema.flatMap(wordsOf);
  if (!isObject(schema)) return [];
  return Object.entries(schema).flatMap(([name, value]) => {
    if (name === "description" || name === "title") return [textOf(value) ?? ""];
    if (name === "enum" || name === "required") return listOf(value).map(String);
    if (name !== "properties" || !isObject(value)) return wordsOf(value);
    return Object.entries(value).flatMap(([member, its]) => [member, ...wordsOf(its)]);
  });
}
