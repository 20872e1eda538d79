import type { JsonObject } from "./json.ts";
import {
  leastOf,
  object,
  type ObjectRule,
  type Rule,
  type TaggedRule,
  type TextRule,
} from "./rules.ts";
import { objectOf } from "./values.ts";

/** The JSON schema of a rule, for the public documentation. */
export function schemaOf(rule: Rule): JsonObject {
  const described = rule.doc === undefined ? {} : { description: rule.doc };
  const hidden = rule.isSecret === true ? { writeOnly: true } : {};
  return { ...bareSchemaOf(rule), ...described, ...hidden };
}

function bareSchemaOf(rule: Rule): JsonObject {
  switch (rule.is) {
    case "text":
      return {
        type: "string",
        ...(rule.minLength === undefined ? {} : { minLength: rule.minLength }),
        ...(rule.maxLength === undefined ? {} : { maxLength: rule.maxLength }),
        ...choicesOf(rule),
      };
    case "number":
    case "integer":
      return { type: rule.is, minimum: leastOf(rule), maximum: rule.max };
    case "flag":
      return { type: "boolean" };
    case "object":
      return objectSchema(rule);
    case "list":
      return { type: "array", items: schemaOf(rule.of), minItems: rule.min, maxItems: rule.max };
    case "either":
      return { anyOf: rule.of.map(schemaOf) };
    case "tagged":
      return taggedSchema(rule);
    case "record":
      return {
        type: "object",
        additionalProperties: { anyOf: [objectSchema(rule.of), NOT_OBJECT] },
      };
  }
}

const NOT_OBJECT = { type: ["string", "number", "boolean", "array", "null"] };

/** Lists the known values, even if vendors may accept others. */
function choicesOf({ oneOf, anyCase, isOpen }: TextRule): JsonObject {
  if (oneOf === undefined) return {};
  const known = { enum: spellings(oneOf, anyCase === true) };
  return isOpen === true ? { anyOf: [known, { minLength: 1 }] } : known;
}

function spellings(words: readonly string[], anyCase: boolean): readonly string[] {
  return anyCase ? [...new Set([...words, ...words.map((word) => word.toLowerCase())])] : words;
}

/** Optional fields may be null; unknown fields may have any value. */
function objectSchema(rule: ObjectRule, tag: JsonObject = {}): JsonObject {
  const members = [...rule.members].map(([name, member]) => {
    const schema = schemaOf(member);
    return [
      name,
      rule.required.includes(name) ? schema : { anyOf: [schema, { type: "null" }] },
    ] as const;
  });
  const required = [...new Set([...Object.keys(tag), ...rule.required])];
  return {
    type: "object",
    // The tag's value is what tells the cases apart, even if a case names the tag itself.
    properties: { ...Object.fromEntries(members), ...tag },
    ...(required.length === 0 ? {} : { required }),
  };
}

function taggedSchema(rule: TaggedRule): JsonObject {
  const { tag, untagged } = rule;
  const shapes = [...rule.cases].map(([name, one]) =>
    objectSchema(one, { [tag]: { const: name } }),
  );
  if (rule.closed !== true) {
    const least = rule.closed === "open" ? { minLength: 1 } : {};
    const foreign = { type: "string", ...least, not: { enum: [...rule.cases.keys()] } };
    shapes.push(objectSchema(object({}), { [tag]: foreign }));
  }
  if (untagged !== undefined) {
    const bare = objectSchema(untagged);
    const absent = { ...objectOf(bare["properties"]), [tag]: { type: "null" } };
    shapes.push({ ...bare, properties: absent });
  }
  return { anyOf: shapes };
}
