import { invalid } from "#core/error.ts";
import { MODEL_PATTERN } from "#core/key.ts";
import { isArray, type Json, type JsonObject } from "#lib/json.ts";
import { list, text } from "#lib/rules.ts";
import { textOf } from "#lib/values.ts";

export const NAME = text({ minLength: 1, maxLength: 100 });

/** What people tell things apart by must look different where it is. */
export function readName(body: JsonObject): string | undefined {
  const given = textOf(body["name"]);
  if (given === undefined || (given.trim() === given && !/\p{C}/u.test(given))) return given;
  throw invalid("name", "'name' has white space around it, or characters that cannot be seen.");
}

const MAX_MODELS = 1_000;

export const MODELS = {
  ...list(text({ minLength: 1, maxLength: 201 }), MAX_MODELS, 1),
  doc: "Names, or beginnings of names with a * behind them; null for all.",
};

/** `undefined` where it is absent, `null` where it is null. */
export function readModels(body: JsonObject): readonly string[] | null | undefined {
  const isPattern = (item: string): boolean => MODEL_PATTERN.test(item);
  return readTexts(body["models"], "models", "a model's name", isPattern);
}

/** `what`: each of the texts must be, to complete "is not". */
export function readTexts(
  value: Json | undefined,
  param: string,
  what: string,
  isGood: (item: string) => boolean,
): readonly string[] | null | undefined {
  if (value === null) return null;
  if (!isArray(value)) return undefined;
  const items = value.filter((item) => typeof item === "string");
  const bad = items.findIndex((item) => !isGood(item));
  if (bad >= 0) throw invalid(`${param}[${bad}]`, `'${param}[${bad}]' is not ${what}.`);
  return items;
}
