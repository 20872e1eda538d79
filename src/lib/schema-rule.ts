import { isArray, isObject, type Json, type JsonObject } from "./json.ts";
import type { ObjectRule, Rule } from "./rules.ts";
import { listOf, numberOf, objectOf, textOf } from "./values.ts";

/** Extension keyword: the value may hold a secret, so that no error quotes it. */
export const SENSITIVE = "x-sensitive";

/**
 * The rule that a JSON schema states, so that a violation is reported in the
 * same words whether a rule or a schema library described the body. Keywords
 * that no rule has are not checked here; undefined if nothing is. The opposite of `schemaOf`.
 */
export function ruleOf(schema: JsonObject): Rule | undefined {
  const base = baseOf(schema);
  const types = listOf(schema["type"]).filter((type) => type !== "null");
  if (types.length > 0)
    return either(
      types.map((type) => ({ ...schema, type })),
      base,
    );
  const choices = listOf(schema["anyOf"]).filter(isObject).filter(isNotNull);
  if (choices.length > 0) return either(choices, base);
  switch (schema["type"]) {
    case "string":
      return { is: "text", ...lengthsOf(schema), ...base };
    case "number":
    case "integer":
      return {
        is: schema["type"],
        min: numberOf(schema["minimum"]) ?? -Infinity,
        max: numberOf(schema["maximum"]) ?? Infinity,
        ...base,
      };
    case "boolean":
      return { is: "flag", ...base };
    case "array":
      return listRule(schema, base);
    case "object":
      return { ...objectRule(schema), ...base };
    default:
      return undefined;
  }
}

/** The same for the schema of a whole body. */
export function objectRuleOf(schema: JsonObject): ObjectRule {
  const rule = ruleOf(schema);
  if (rule?.is === "object") return rule;
  throw new Error("The schema of a body must describe an object.");
}

function listRule(schema: JsonObject, base: Base): Rule | undefined {
  const of = ruleOf(objectOf(schema["items"]) ?? {});
  if (of === undefined) return undefined;
  const min = numberOf(schema["minItems"]) ?? 0;
  return { is: "list", of, min, max: numberOf(schema["maxItems"]) ?? Infinity, ...base };
}

function objectRule(schema: JsonObject): Rule {
  const properties = objectOf(schema["properties"]);
  const others = objectOf(schema["additionalProperties"]);
  if (properties === undefined && others?.["type"] === "object") {
    const of = ruleOf(others);
    if (of?.is === "object") return { is: "record", of };
  }
  const members = Object.entries(properties ?? {}).flatMap(([name, member]) => {
    const rule = isObject(member) ? ruleOf(member) : undefined;
    return rule === undefined ? [] : [[name, rule] as const];
  });
  const required = listOf(schema["required"]).flatMap((name) => textOf(name) ?? []);
  return { is: "object", members: new Map(members), required };
}

function either(choices: readonly JsonObject[], base: Base): Rule | undefined {
  const rules = choices.map(ruleOf).filter((rule) => rule !== undefined);
  if (rules.length < choices.length) return undefined;
  const [first] = rules;
  if (first !== undefined && rules.length === 1) return { ...first, ...base };
  return { is: "either", of: rules, ...base };
}

function isNotNull(schema: JsonObject): boolean {
  return schema["type"] !== "null";
}

function lengthsOf(schema: JsonObject) {
  const minLength = numberOf(schema["minLength"]);
  const maxLength = numberOf(schema["maxLength"]);
  const oneOf = wordsOf(schema["enum"] ?? schema["const"]);
  return {
    ...(minLength === undefined ? {} : { minLength }),
    ...(maxLength === undefined ? {} : { maxLength }),
    ...(oneOf === undefined ? {} : { oneOf }),
  };
}

function wordsOf(value: Json | undefined): readonly string[] | undefined {
  if (value === undefined) return undefined;
  return (isArray(value) ? value : [value]).flatMap((word) => textOf(word) ?? []);
}

type Base = ReturnType<typeof baseOf>;

function baseOf(schema: JsonObject) {
  return {
    ...(schema["writeOnly"] === true ? { isSecret: true as const } : {}),
    ...(schema[SENSITIVE] === true ? { mayHoldSecret: true as const } : {}),
  };
}
