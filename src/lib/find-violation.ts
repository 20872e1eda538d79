import { isArray, isObject, type Json, type JsonObject } from "./json.ts";
import { LongBase64 } from "./long-base64.ts";
import { numberOf } from "./values.ts";
import {
  leastOf,
  text,
  type EitherRule,
  type ListRule,
  type NumberRule,
  type ObjectRule,
  type RecordRule,
  type Rule,
  type TaggedRule,
  type TextRule,
} from "./rules.ts";

interface Violation {
  /** As in `.messages[2].role`. */
  readonly path: string;
  readonly problem: string;
  /**
   * The value has the right type but is unknown. Code that forwards it to the
   * format's vendor may accept it; code that must interpret it has to refuse
   * it.
   */
  readonly mayBeNewer?: true;
}

/**
 * The first violation; certain violations come before possibly newer values. It
 * names the exceeded limit, and never quotes a value that may be a secret.
 */
export function findViolation(value: Json, rule: Rule, isHidden = false): Violation | undefined {
  const hidden = isHidden || mayHoldSecret(rule);
  switch (rule.is) {
    case "text":
      return isText(value) ? textViolation(value, rule, hidden) : mismatch(value, rule, hidden);
    case "number":
    case "integer":
      return isWithin(value, rule) ? undefined : numberViolation(value, rule, hidden);
    case "flag":
      return typeof value === "boolean" ? undefined : mismatch(value, rule, hidden);
    case "object":
      return isObject(value) ? memberViolation(value, rule, hidden) : mismatch(value, rule, hidden);
    case "list":
      return isArray(value) ? itemViolation(value, rule, hidden) : mismatch(value, rule, hidden);
    case "either":
      return eitherViolation(value, rule, hidden);
    case "tagged":
      return isObject(value) ? taggedViolation(value, rule, hidden) : mismatch(value, rule, hidden);
    case "record":
      return isObject(value) ? recordViolation(value, rule, hidden) : mismatch(value, rule, hidden);
  }
}

function eitherViolation(value: Json, rule: EitherRule, isHidden: boolean): Violation | undefined {
  let hidden = isHidden;
  for (const one of rule.of) if (mayHoldSecret(one)) hidden = true;
  for (const one of rule.of) if (fits(value, one)) return findViolation(value, one, hidden);
  return mismatch(value, rule, hidden);
}

function mayHoldSecret(rule: Rule): boolean {
  return rule.isSecret === true || rule.mayHoldSecret === true;
}

function isText(value: Json): value is string | LongBase64 {
  return typeof value === "string" || value instanceof LongBase64;
}

function textViolation(
  value: string | LongBase64,
  rule: TextRule,
  hidden: boolean,
): Violation | undefined {
  const { oneOf, minLength = 0, maxLength = Infinity } = rule;
  const { length } = value;
  if (length < minLength) {
    const problem =
      length === 0
        ? "must be a string that is not empty"
        : `is too short: use ${charactersOf(rule)}`;
    return { path: "", problem };
  }
  if (length > maxLength) {
    const told = hidden ? "" : `, but has ${length}`;
    return { path: "", problem: `is too long: use ${charactersOf(rule)}${told}` };
  }
  if (oneOf === undefined) return undefined;
  if (typeof value !== "string") return mismatch(value, rule, hidden);
  if (oneOf.includes(value)) return undefined;
  if (rule.anyCase === true && oneOf.includes(value.toUpperCase())) return undefined;
  return unknown(mismatch(value, rule, hidden), rule.isOpen === true && value !== "");
}

function numberViolation(value: Json, rule: NumberRule, hidden: boolean): Violation {
  const mayBeNewer = isWithin(value, { ...rule, min: leastOf(rule) });
  return unknown(mismatch(value, rule, hidden), mayBeNewer);
}

function unknown(found: Violation, mayBeNewer: boolean): Violation {
  return mayBeNewer ? { ...found, mayBeNewer } : found;
}

function charactersOf({ minLength = 0, maxLength }: TextRule): string {
  if (maxLength === undefined) return `at least ${minLength} characters`;
  if (minLength === maxLength) return `${maxLength} characters`;
  return minLength > 1
    ? `${minLength} to ${maxLength} characters`
    : `at most ${maxLength} characters`;
}

function isWithin(value: Json, rule: NumberRule): boolean {
  const number = numberOf(value);
  if (number === undefined || number < rule.min || number > rule.max) return false;
  return rule.is === "number" || Number.isInteger(number);
}

function memberViolation(
  value: JsonObject,
  rule: ObjectRule,
  hidden: boolean,
): Violation | undefined {
  for (const name of rule.required) {
    const member = value[name];
    if (member === undefined || member === null)
      return { path: `.${name}`, problem: "is required" };
  }
  let newer: Violation | undefined;
  for (const name in value) {
    const member = value[name];
    if (member === undefined || member === null) continue;
    const memberRule = rule.members.get(name);
    if (memberRule === undefined) continue;
    const found = findViolation(member, memberRule, hidden);
    if (found === undefined) continue;
    if (found.mayBeNewer !== true) return within(`.${name}`, found);
    newer ??= within(`.${name}`, found);
  }
  return newer;
}

function itemViolation(
  items: readonly Json[],
  rule: ListRule,
  hidden: boolean,
): Violation | undefined {
  if (items.length < rule.min || items.length > rule.max) return mismatch(items, rule, hidden);
  let newer: Violation | undefined;
  for (let index = 0; index < items.length; index++) {
    const item = items[index];
    const found = item === undefined ? undefined : findViolation(item, rule.of, hidden);
    if (found === undefined) continue;
    if (found.mayBeNewer !== true) return within(`[${index}]`, found);
    newer ??= within(`[${index}]`, found);
  }
  return newer;
}

function taggedViolation(
  value: JsonObject,
  rule: TaggedRule,
  hidden: boolean,
): Violation | undefined {
  const tag = value[rule.tag];
  if (tag === undefined || tag === null) {
    if (rule.untagged !== undefined) return memberViolation(value, rule.untagged, hidden);
    return { path: `.${rule.tag}`, problem: "is required" };
  }
  const chosen = typeof tag === "string" ? rule.cases.get(tag) : undefined;
  if (chosen !== undefined) return memberViolation(value, chosen, hidden);
  if (typeof tag === "string" && rule.closed === false) return undefined;
  const known = rule.closed === false ? text() : text({ oneOf: [...rule.cases.keys()] });
  const mayBeNewer = rule.closed === "open" && typeof tag === "string" && tag !== "";
  return within(`.${rule.tag}`, unknown(mismatch(tag, known, hidden), mayBeNewer));
}

function recordViolation(
  value: JsonObject,
  rule: RecordRule,
  hidden: boolean,
): Violation | undefined {
  let newer: Violation | undefined;
  for (const name in value) {
    const member = value[name];
    if (!isObject(member)) continue;
    const found = memberViolation(member, rule.of, hidden);
    if (found === undefined) continue;
    if (found.mayBeNewer !== true) return within(`.${name}`, found);
    newer ??= within(`.${name}`, found);
  }
  return newer;
}

function within(step: string, found: Violation): Violation {
  return { ...found, path: step + found.path };
}

function mismatch(value: Json, rule: Rule, hidden: boolean): Violation {
  const shown = hidden ? kindOf(value) : given(value);
  return { path: "", problem: `must be ${expected(rule)}, but is ${shown}` };
}

function fits(value: Json, rule: Rule): boolean {
  switch (rule.is) {
    case "text":
      return isText(value);
    case "number":
    case "integer":
      return numberOf(value) !== undefined;
    case "flag":
      return typeof value === "boolean";
    case "list":
      return isArray(value);
    case "either":
      return fitsOne(value, rule);
    case "object":
    case "tagged":
    case "record":
      return isObject(value);
  }
}

/** Without a closure: a function that makes one allocates for it on every call. */
function fitsOne(value: Json, rule: EitherRule): boolean {
  for (const one of rule.of) if (fits(value, one)) return true;
  return false;
}

function expected(rule: Rule): string {
  switch (rule.is) {
    case "text":
      if (rule.oneOf !== undefined)
        return `one of ${rule.oneOf.map((one) => `'${one}'`).join(", ")}`;
      if (rule.maxLength !== undefined) return `a string of ${charactersOf(rule)}`;
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
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value === "string" && value !== "" && value.length <= MAX_QUOTED_CHARS)
    return JSON.stringify(value);
  return isText(value) && value !== "" ? `a string of ${value.length} characters` : kindOf(value);
}

/** The type of a value without its content. */
function kindOf(value: Json): string {
  if (value === null) return "null";
  if (isText(value)) return value === "" ? "an empty string" : "a string";
  if (isArray(value)) return `a list of ${value.length} items`;
  return isObject(value) ? "an object" : `a ${typeof value}`;
}

const MAX_QUOTED_CHARS = 40;
