import type { Field } from "../value-picker.ts";
import { contentWords, words } from "../words.ts";
import { isJsonArray, type Json, type JsonObject } from "@sluice/sandbox/json.ts";
import { textFromPattern } from "./from-pattern.ts";
import type { Context } from "./context.ts";
import { matchesSchema } from "./matches.ts";

/** The prompt's text, the default, an example, or a plain phrase cut to length. */
export function generateText(schema: JsonObject, field: Field, context: Context): string {
  const fits = (value: Json | undefined): value is string =>
    typeof value === "string" &&
    matchesSchema(value, schema, context.root, context.checks) &&
    fitsFormat(value, schema["format"]);

  const fromPrompt = context.picker.text(field, fits);
  if (fromPrompt !== undefined) return fromPrompt;

  const examples = isJsonArray(schema["examples"]) ? schema["examples"] : [];
  const candidates = [
    schema["default"],
    ...examples,
    formatted(schema["format"], context),
    phrase(field, context),
  ];
  const found = candidates.find(fits);
  if (found !== undefined) return found;

  const min = Math.min(
    MAX_CHARACTERS,
    typeof schema["minLength"] === "number" ? schema["minLength"] : 0,
  );
  const max = typeof schema["maxLength"] === "number" ? schema["maxLength"] : Infinity;
  if (typeof schema["pattern"] === "string") {
    return textFromPattern(schema["pattern"], { min, max }, context.random) ?? "";
  }
  return toLength(phrase(field, context), min, max);
}

/** A schema that wants more gets less than it wants. */
const MAX_CHARACTERS = 1_000_000;

/** What the user talks about, without the field's own words; or else the field's name. */
function phrase(field: Field, context: Context): string {
  const own = new Set(words(`${field.name} ${field.description}`));
  const subject = contentWords(context.values.text).filter(
    (word) => !own.has(word) && !/^\d+$/.test(word),
  );
  const name = words(field.name).join(" ");
  if (subject.length === 0) return name === "" ? "sample" : `sample ${name}`;
  return subject.slice(0, 3).join(" ");
}

function toLength(text: string, min: number, max: number): string {
  const long =
    text.length >= min ? text : `${text} `.repeat(Math.ceil(min / (text.length + 1))).slice(0, min);
  return Array.from(long).slice(0, Math.min(max, long.length)).join("");
}

function fitsFormat(value: string, format: Json | undefined): boolean {
  return (typeof format === "string" ? FORMATS[format]?.pattern.test(value) : undefined) ?? true;
}

function formatted(format: Json | undefined, context: Context): string | undefined {
  return typeof format === "string" ? FORMATS[format]?.make(context) : undefined;
}

interface Format {
  readonly pattern: RegExp;
  make(context: Context): string;
}

const FORMATS: Readonly<Record<string, Format>> = {
  "date-time": {
    pattern: /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/,
    make: (context) => `2026-03-${day(context)}T09:30:00Z`,
  },
  date: { pattern: /^\d{4}-\d{2}-\d{2}$/, make: (context) => `2026-03-${day(context)}` },
  time: { pattern: /^\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})?$/, make: () => "09:30:00Z" },
  duration: { pattern: /^P(?:\d+[YMWD])*(?:T(?:\d+[HMS])+)?$/, make: () => "PT1H30M" },
  email: { pattern: /^[^\s@]+@[^\s@]+\.[^\s@]+$/, make: () => "ada@example.com" },
  uri: { pattern: /^[a-z][a-z\d+.-]*:\S+$/i, make: () => "https://example.com/page" },
  hostname: { pattern: /^[a-z\d-]+(?:\.[a-z\d-]+)*$/i, make: () => "host.example.com" },
  ipv4: { pattern: /^\d{1,3}(?:\.\d{1,3}){3}$/, make: () => "192.0.2.10" },
  ipv6: { pattern: /^[\da-f:]+$/i, make: () => "2001:db8::10" },
  uuid: { pattern: /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i, make: uuid },
};

function day({ random }: Context): string {
  return String(random.between(1, 28)).padStart(2, "0");
}

function uuid({ random }: Context): string {
  const hex = (length: number) =>
    Array.from({ length }, () => random.between(0, 15).toString(16)).join("");
  return `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`;
}
