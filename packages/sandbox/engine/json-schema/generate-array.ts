import type { Field } from "../value-picker.ts";
import { isJsonArray, type Json, type JsonObject } from "@sluice/sandbox/json.ts";
import { deeper, isDeep, type Context } from "./context.ts";
import { matchesSchema } from "./matches.ts";
import { resolveSchema } from "./resolve.ts";

/** As long as the prompt has values, within the bounds. */
export function generateArray(schema: JsonObject, field: Field, context: Context): readonly Json[] {
  const { items, prefixItems, contains } = schema;
  const heads = isJsonArray(prefixItems) ? prefixItems : isJsonArray(items) ? items : [];
  const rest = (isJsonArray(items) ? schema["additionalItems"] : items) ?? true;
  const min = typeof schema["minItems"] === "number" ? schema["minItems"] : 0;
  const max = typeof schema["maxItems"] === "number" ? schema["maxItems"] : Infinity;
  const inner = deeper(context);

  const found: Json[] = heads.slice(0, max).map((head) => context.generate(head, field, inner));
  if (contains !== undefined && found.length < max)
    found.push(context.generate(contains, field, inner));
  if (rest === false) return found;

  const given = valuesFor(rest, field, context).slice(0, Math.max(0, max - found.length));
  found.push(...given);
  const usual = given.length > 0 || isDeep(context) ? 0 : context.fill === "all" ? 2 : 1;
  const wanted = Math.min(max, Math.max(min, heads.length > 0 ? heads.length : usual), MAX_ITEMS);

  // A repetition is tried again with other luck, where repetitions are not allowed.
  for (let tries = 0; found.length < wanted && tries < wanted + MAX_REPEATS; tries++) {
    const item = context.generate(rest, field, inner);
    if (schema["uniqueItems"] !== true) found.push(item);
    else addDistinct(found, tries === 0 ? item : vary(item, rest, tries, context));
  }
  return found;
}

const MAX_ITEMS = 1_000;
const MAX_REPEATS = 200;

/** The prompt's list for this field, as far as its values fit. */
function valuesFor(items: Json, field: Field, context: Context): readonly Json[] {
  const { type, enum: listed } = resolveSchema(items, context.root);
  const fits = (value: Json) => matchesSchema(value, items, context.root, context.checks);
  const isNumeric = type === "number" || type === "integer";
  const given: readonly Json[] = isNumeric
    ? context.picker.numbers()
    : type === "string"
      ? [...context.picker.texts(field), ...namedIn(listed, context)]
      : [];
  return [...new Set(given)].filter(fits);
}

function namedIn(listed: Json | undefined, context: Context): readonly Json[] {
  if (!isJsonArray(listed)) return [];
  const text = context.values.text.toLowerCase();
  return listed.filter(
    (each) => typeof each === "string" && each !== "" && text.includes(each.toLowerCase()),
  );
}

function addDistinct(found: Json[], item: Json): void {
  const isNew = found.every((each) => JSON.stringify(each) !== JSON.stringify(item));
  if (isNew) found.push(item);
}

/** Another value of the same kind: the next of the list, the next number, a numbered text. */
function vary(item: Json, schema: Json, count: number, context: Context): Json {
  const { enum: listed } = resolveSchema(schema, context.root);
  const other =
    isJsonArray(listed) && listed.length > 0
      ? (listed[count % listed.length] ?? item)
      : typeof item === "number"
        ? item + count
        : typeof item === "string"
          ? `${item} ${count + 1}`
          : typeof item === "boolean"
            ? count % 2 === 1
            : item;
  return matchesSchema(other, schema, context.root, context.checks) ? other : item;
}
