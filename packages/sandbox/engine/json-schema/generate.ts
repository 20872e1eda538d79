import type { PromptValues } from "../prompt-values.ts";
import { seededRandom } from "../random.ts";
import { valuePicker, type Field } from "../value-picker.ts";
import {
  isJsonArray,
  isJsonObject,
  jsonText,
  type Json,
  type JsonObject,
} from "@sluice/sandbox/json.ts";
import { isDeep, MAX_NODES, type Context } from "./context.ts";
import { generateArray } from "./generate-array.ts";
import { generateNumber } from "./generate-number.ts";
import { generateObject } from "./generate-object.ts";
import { generateText } from "./generate-text.ts";
import { matchesSchema } from "./matches.ts";
import { mergeSchemas, resolveSchema } from "./resolve.ts";

/**
 * A value that conforms to a schema, with the prompt's values where they fit.
 * `needed` leaves out what is optional and not in the prompt, as models do
 * with a tool's arguments; `all` fills everything, as they do with an answer.
 */
export function generateJson(schema: Json, options: GenerateOptions): Json {
  let value: Json = null;
  const checks = { left: MAX_CHECKS };
  for (let attempt = 0; attempt < ATTEMPTS && checks.left > 0; attempt++) {
    value = generate(schema, ROOT_FIELD, {
      root: schema,
      fill: options.fill,
      // A value of the prompt may not fit: later attempts omit it.
      picker: valuePicker(attempt < ATTEMPTS / 2 ? options.values : EMPTY_VALUES),
      values: options.values,
      random: seededRandom(`${options.seed} ${attempt}`),
      depth: 0,
      choices: 0,
      budget: { nodes: MAX_NODES },
      checks,
      generate,
    });
    if (matchesSchema(value, schema, schema, checks)) return value;
  }
  return value;
}

interface GenerateOptions {
  readonly values: PromptValues;
  readonly seed: string;
  readonly fill: Context["fill"];
}

const ATTEMPTS = 8;
const MAX_CHECKS = 500_000;
/** A schema that demands itself has no value at all; something has to end it. */
const MAX_DEPTH = 60;

const ROOT_FIELD: Field = { name: "", description: "" };

function generate(node: Json, field: Field, context: Context): Json {
  if (--context.budget.nodes < 0 || context.depth + context.choices > MAX_DEPTH) return null;
  const schema = resolveSchema(node, context.root);
  const own = { ...field, description: textOr(schema["description"], field.description) };

  if (schema["const"] !== undefined) return schema["const"];
  if (isJsonArray(schema["enum"])) return pickListed(schema["enum"], schema, own, context);
  const branches = schema["anyOf"] ?? schema["oneOf"];
  if (isJsonArray(branches) && branches.length > 0)
    return generateBranch(schema, branches, own, context);
  if (isJsonObject(schema["then"]) && isJsonObject(schema["if"]))
    return generateThen(schema, own, context);

  switch (typeOf(schema, context)) {
    case "null":
      return null;
    case "boolean":
      return context.picker.boolean(own) ?? textOr(schema["default"], "") === "true";
    case "integer":
    case "number":
      return generateNumber(schema, own, context);
    case "array":
      return generateArray(schema, own, context);
    case "object":
      return generateObject(schema, own, context);
    default:
      return generateText(schema, own, context);
  }
}

/** The one the prompt names, or else the first that fits. */
function pickListed(
  listed: readonly Json[],
  schema: JsonObject,
  field: Field,
  context: Context,
): Json {
  const { enum: _enum, ...rest } = schema;
  const fitting = listed.filter((each) => matchesSchema(each, rest, context.root, context.checks));
  const text = context.values.text.toLowerCase();
  const named = fitting.find(
    (each) => typeof each === "string" && each !== "" && mentions(text, each),
  );
  const numbered = fitting.find(
    (each) => typeof each === "number" && context.picker.numbers().includes(each),
  );
  return named ?? numbered ?? fitting[0] ?? listed[0] ?? textOr(schema["default"], field.name);
}

function mentions(text: string, word: string): boolean {
  const plain = word.toLowerCase().replaceAll(/[_-]/g, " ");
  const spaced = ` ${text.replaceAll(/[^\p{L}\p{N}]+/gu, " ")} `;
  return spaced.includes(` ${plain.replaceAll(/[^\p{L}\p{N}]+/gu, " ").trim()} `);
}

/** The branches in the order of liking, until one gives a value that the whole schema accepts. */
function generateBranch(
  schema: JsonObject,
  branches: readonly Json[],
  field: Field,
  context: Context,
): Json {
  const { anyOf: _anyOf, oneOf: _oneOf, ...base } = schema;
  let value: Json = null;
  for (const branch of inOrderOfLiking(branches, context)) {
    const whole = mergeSchemas(base, resolveSchema(branch, context.root));
    value = generate(whole, field, { ...context, choices: context.choices + 1 });
    if (matchesSchema(value, schema, context.root, context.checks)) return value;
  }
  return value;
}

function inOrderOfLiking(branches: readonly Json[], context: Context): readonly Json[] {
  const cost = (branch: Json): number => {
    const type = resolveSchema(branch, context.root)["type"];
    if (isDeep(context)) return type === "null" ? 0 : type === "object" || type === "array" ? 2 : 1;
    return type === "null" ? 2 : isNamedByPrompt(branch, context) ? 0 : 1;
  };
  return branches.toSorted((left, right) => cost(left) - cost(right));
}

/** A variant told apart by a constant, such as `kind: "circle"`, is wanted when the prompt says the word. */
function isNamedByPrompt(branch: Json, context: Context): boolean {
  const { properties } = resolveSchema(branch, context.root);
  if (!isJsonObject(properties)) return false;
  return Object.values(properties).some((property) => {
    const { const: constant, enum: listed } = resolveSchema(property, context.root);
    const only = constant ?? (isJsonArray(listed) && listed.length === 1 ? listed[0] : undefined);
    return (
      typeof only === "string" && only !== "" && mentions(context.values.text.toLowerCase(), only)
    );
  });
}

function generateThen(schema: JsonObject, field: Field, context: Context): Json {
  const { if: condition, then, else: otherwise, ...base } = schema;
  const met = generate(
    mergeSchemas(mergeSchemas(base, asObject(condition)), asObject(then)),
    field,
    context,
  );
  if (matchesSchema(met, schema, context.root, context.checks)) return met;
  return generate(mergeSchemas(base, asObject(otherwise)), field, context);
}

function typeOf(schema: JsonObject, context: Context): string {
  const { type } = schema;
  if (isJsonArray(type)) {
    const others = type.filter((each) => each !== "null");
    return jsonText(isDeep(context) && type.includes("null") ? "null" : (others[0] ?? "null"));
  }
  if (typeof type === "string") return type;
  return (
    IMPLIED_TYPES.find(([keywords]) => keywords.some((keyword) => keyword in schema))?.[1] ??
    "string"
  );
}

const IMPLIED_TYPES: readonly (readonly [readonly string[], string])[] = [
  [
    ["properties", "required", "additionalProperties", "patternProperties", "minProperties"],
    "object",
  ],
  [["items", "prefixItems", "minItems", "maxItems", "contains"], "array"],
  [["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"], "number"],
];

function asObject(node: Json | undefined): JsonObject {
  return isJsonObject(node) ? node : {};
}

function textOr(value: Json | undefined, fallback: string): string {
  return value === undefined || isJsonObject(value) || isJsonArray(value)
    ? fallback
    : String(value);
}

const EMPTY_VALUES: PromptValues = {
  text: "",
  quoted: [],
  numbers: [],
  places: [],
  names: [],
  urls: [],
  emails: [],
  dates: [],
  paths: [],
  expressions: [],
  pairs: new Map(),
};
