import type { Prompt } from "../prompt.ts";
import { isJsonObject, parseJson, type Json, type JsonObject } from "@sluice/sandbox/json.ts";

/** How an answer in JSON is to look that is only asked for in words. */
interface AskedJson {
  /** Absent where any object will do. */
  readonly schema?: JsonObject;
}

/** "Return only raw JSON: {...}", "Answer with one valid JSON object. It must conform to this schema: {...}" */
export function askedJson({ text, system }: Prompt): AskedJson | undefined {
  for (const words of [text, system]) {
    if (!ORDER.test(words)) continue;
    const schema = schemaIn(words) ?? shapeIn(words);
    return schema === undefined ? {} : { schema };
  }
  return undefined;
}

const ORDER =
  /\b(?:return|reply|respond|answer|output|write|give me)\b[^.\n]{0,60}?\b(?:only|just|nothing but|raw|valid)\b[^.\n]{0,40}?\bJSON\b(?! (?:is|was|are))/i;

function schemaIn(words: string): JsonObject | undefined {
  const at = words.search(/\bschema\s*:/i);
  const schema = at < 0 ? undefined : parseJson(objectAt(words, words.indexOf("{", at)) ?? "");
  return schema !== undefined && isJsonObject(schema) ? schema : undefined;
}

/** A shape whose values are names of types: `{"pets": [string, string]}`. */
function shapeIn(words: string): JsonObject | undefined {
  const text = objectAt(words, words.indexOf("{"));
  const shape = parseJson(text?.replaceAll(BARE_TYPE, '$1"$2"') ?? "");
  return shape === undefined || !isJsonObject(shape) ? undefined : schemaOf(shape);
}

const BARE_TYPE = /([:[,]\s*)(string|number|integer|boolean)(?=\s*[,\]}])/g;
const TYPES = new Set<Json | undefined>(["string", "number", "integer", "boolean"]);

function schemaOf(shape: Json): JsonObject {
  if (TYPES.has(shape)) return { type: shape };
  if (Array.isArray(shape)) {
    const [first] = shape;
    const items = first === undefined ? {} : { items: schemaOf(first as Json) };
    return { type: "array", ...items, minItems: shape.length, maxItems: shape.length };
  }
  if (!isJsonObject(shape)) return { enum: [shape] };
  const properties = Object.fromEntries(
    Object.entries(shape).map(([name, value]) => [name, schemaOf(value ?? null)]),
  );
  return { type: "object", properties, required: Object.keys(shape) };
}

/** The balanced braces from here on; those in quotes do not count. */
function objectAt(words: string, start: number): string | undefined {
  if (start < 0) return undefined;
  let depth = 0;
  for (const { 0: piece, index } of words.slice(start).matchAll(PIECES)) {
    if (piece === "{") depth++;
    if (piece === "}") depth--;
    if (depth === 0) return words.slice(start, start + index + piece.length);
  }
  return undefined;
}

const PIECES = /"(?:[^"\\]|\\.)*"|[{}]/g;
