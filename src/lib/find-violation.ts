import { isArray, isObject, type Json, type JsonObject } from "./json.ts";
import { LongBase64 } from "./long-base64.ts";
import {
  text,
  type ListRule,
  type NumberRule,
  type ObjectRule,
  type RecordRule,
  type Rule,
  type TaggedRule,
  type TextRule,
} from "./rules.ts";

export interface Violation {
  /** As in `.messages[2].role`. */
  readonly path: string;
  readonly problem: string;
}

/** The first violation; its path is only put together when there is one. */
export function findViolation(value: Json, rule: Rule): Violation | undefined {
  switch (rule.is) {
    case "text":
      return isText(value) ? textViolation(value, rule) : mismatch(value, rule);
    case "number":
    case "integer":
      return isWithin(value, rule) ? undefined : mismatch(value, rule);
    case "flag":
      return typeof value === "boolean" ? undefined : mismatch(value, rule);
    case "object":
      return isObject(value) ? memberViolation(value, rule) : mismatch(value, rule);
    case "list":
      return isArray(value) ? itemViolation(value, rule) : mismatch(value, rule);
    case "either": {
      const fitting = rule.of.find((one) => fits(value, one));
      return fitting === undefined ? mismatch(value, rule) : findViolation(value, fitting);
    }
    case "tagged":
      return isObject(value) ? taggedViolation(value, rule) : mismatch(value, rule);
    case "record":
      return isObject(value) ? recordViolation(value, rule) : mismatch(value, rule);
  }
}

function isText(value: Json): value is string | LongBase64 {
  return typeof value === "string" || value instanceof LongBase64;
}

function textViolation(value: string | LongBase64, rule: TextRule): Violation | undefined {
  const { oneOf, minLength = 0, maxLength = Infinity } = rule;
  if (value.length < minLength || value.length > maxLength) {
    return mismatch(value, rule);
  }
  if (oneOf === undefined) return undefined;
  if (typeof value !== "string") return mismatch(value, rule);
  if (oneOf.includes(value)) return undefined;
  if (rule.anyCase === true && oneOf.includes(value.toUpperCase())) return undefined;
  return mismatch(value, rule);
}

function isWithin(value: Json, rule: NumberRule): boolean {
  if (typeof value !== "number" || value < rule.min || value > rule.max) return false;
  return rule.is === "number" || Number.isInteger(value);
}

function memberViolation(value: JsonObject, rule: ObjectRule): Violation | undefined {
  for (const name of rule.required) {
    const member = value[name];
    if (member === undefined || member === null)
      return { path: `.${name}`, problem: "is required" };
  }
  for (const name in value) {
    const member = value[name];
    if (member === undefined || member === null) continue;
    const memberRule = rule.members.get(name);
    if (memberRule === undefined) continue;
    const found = findViolation(member, memberRule);
    if (found !== undefined) return within(`.${name}`, found);
  }
  return undefined;
}

function itemViolation(items: readonly Json[], rule: ListRule): Violation | undefined {
  if (items.length < rule.min || items.length > rule.max) return mismatch(items, rule);
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    const found = item === undefined ? undefined : findViolation(item, rule.of);
    if (found !== undefined) return within(`[${index}]`, found);
  }
  return undefined;
}

function taggedViolation(value: JsonObject, rule: TaggedRule): Violation | undefined {
  const tag = value[rule.tag];
  if (tag === undefined || tag === null) {
    if (rule.untagged !== undefined) return memberViolation(value, rule.untagged);
    return { path: `.${rule.tag}`, problem: "is required" };
  }
  const chosen = typeof tag === "string" ? rule.cases.get(tag) : undefined;
  if (chosen !== undefined) return memberViolation(value, chosen);
  if (typeof tag === "string" && !rule.closed) return undefined;
  const known = rule.closed ? text({ oneOf: [...rule.cases.keys()] }) : text();
  return within(`.${rule.tag}`, mismatch(tag, known));
}

function recordViolation(value: JsonObject, rule: RecordRule): Violation | undefined {
  for (const name in value) {
    const member = value[name];
    if (!isObject(member)) continue;
    const found = memberViolation(member, rule.of);
    if (found !== undefined) return within(`.${name}`, found);
  }
  return undefined;
}

function within(step: string, found: Violation): Violation {
  return { path: step + found.path, problem: found.problem };
}

function mismatch(value: Json, rule: Rule): Violation {
  return { path: "", problem: `must be ${expected(rule)}, but is ${given(value)}` };
}

function fits(value: Json, rule: Rule): boolean {
  switch (rule.is) {
    case "text":
      return isText(value);
    case "number":
    case "integer":
      return typeof value === "number";
    case "flag":
      return typeof value === "boolean";
    case "list":
      return isArray(value);
    case "either":
      return rule.of.some((one) => fits(value, one));
    case "object":
    case "tagged":
    case "record":
      return isObject(value);
  }
}

function expected(rule: Rule): string {
  switch (rule.is) {
    case "text":
      if (rule.oneOf !== undefined)
        return `one of ${rule.oneOf.map((one) => `'${one}'`).join(", ")}`;
      if (rule.maxLength !== undefined) return `a string of at most ${rule.maxLength} characters`;
      return rule.minLength === undefined ? "a string" : "a string that is not empty";
    case "number":
    case "integer":
      return `${rule.is === "number" ? "a number" : "an integer"} from ${rule.min} to ${rule.max}`;
    case "flag":
      return "true or false";
    case "list":
      return `a list of ${rule.min} to ${rule.max} items`;
    case "either":
      return rule.of.map(expected).join(" or ");
    case "object":
    case "tagged":
    case "record":
      return "an object";
  }
}

function given(value: Json): string {
  if (value === null) return "null";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (isText(value)) {
    if (value === "") return "an empty string";
    return value.length > 40 ? `a string of ${value.length} characters` : JSON.stringify(value);
  }
  return isArray(value) ? `a list of ${value.length} items` : "an object";
}
