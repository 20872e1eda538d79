import { GROUP_FIELDS } from "#config/documents/group.ts";
import { invalid } from "#core/error.ts";
import { MODEL_PATTERN } from "#core/key.ts";
import type { GradedRates, Price, Rates } from "#core/money.ts";
import {
  describeScale,
  parseRate,
  RATE_WORDS,
  readRates,
  type Scale,
  UNIT_WORDS,
  wholeRates,
} from "#core/rate-words.ts";
import { isGrade } from "#core/usage.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { decimalOf } from "#lib/values.ts";
import type { AccountDeps } from "#http/deps/accounts.ts";
import { documentField } from "../fields.ts";
import { showGradedRates } from "../price-json.ts";

const MAX_PRICES = 1_000;
const MAX_GRADES = 100;
const WORDS = Object.keys(RATE_WORDS);

export const PRICES = documentField(GROUP_FIELDS.prices);

/** Reads a body that is already validated. `readModel` reads variants as the file's `models` have them. */
export function readPrices(
  value: Json | undefined,
  readModel: AccountDeps["readModel"],
): ReadonlyMap<string, GradedRates> | undefined {
  if (value === undefined) return undefined;
  const members = isObject(value) ? Object.entries(value) : [];
  if (members.length > MAX_PRICES) {
    throw invalid("prices", `'prices' has more than ${MAX_PRICES} models.`);
  }
  return new Map(
    members.map(([model, price = null]) => [model, readPrice(model, price, readModel)]),
  );
}

export function showPrices(prices: ReadonlyMap<string, Price>): JsonObject {
  return Object.fromEntries([...prices].map(([model, price]) => [model, showGradedRates(price)]));
}

function readPrice(model: string, price: Json, readModel: AccountDeps["readModel"]): GradedRates {
  const param = `prices.${model.slice(0, 64)}`;
  if (!MODEL_PATTERN.test(model) || model.endsWith("*")) {
    throw invalid(param, `'${param}' is not a model's name.`);
  }
  const members = membersOf(price, param, [...WORDS, "grades", "variants"]);
  const { grades = null, variants: given = null, ...said } = members;
  const rates = wholeRates(readWords(said, param));
  if (rates === undefined) {
    const units = UNIT_WORDS.join(", ");
    throw invalid(param, `'${param}' must have input and output (0 if free), or ${units}.`);
  }
  const variants = given === null ? undefined : readModel(model, members).rates?.variants;
  return {
    ...rates,
    ...(grades === null ? {} : { grades: readGrades(grades, `${param}.grades`) }),
    ...(variants === undefined ? {} : { variants }),
  };
}

function readGrades(value: Json, param: string): Readonly<Record<string, Partial<Rates>>> {
  const members = isObject(value) ? Object.entries(value) : [];
  if (members.length === 0 || members.length > MAX_GRADES) {
    throw invalid(param, `'${param}' must be an object of 1 to ${MAX_GRADES} kinds of results.`);
  }
  const grades = members.map(([grade, rates = null]) => {
    const at = `${param}.${grade.slice(0, 64)}`;
    if (!isGrade(grade)) throw invalid(at, `'${at}' is not a valid kind of result.`);
    const read = readWords(membersOf(rates, at, WORDS), at);
    if (Object.keys(read).length === 0) throw invalid(at, `'${at}' has no price.`);
    return [grade, read] as const;
  });
  return Object.fromEntries(grades);
}

function membersOf(value: Json, param: string, known: readonly string[]): JsonObject {
  if (!isObject(value)) throw invalid(param, `'${param}' must be an object.`);
  const unknown = Object.keys(value).find((word) => !known.includes(word));
  if (unknown === undefined) return value;
  const all = known.join(", ");
  throw invalid(
    param,
    `'${unknown.slice(0, 64)}' is not known in '${param}'; the fields are: ${all}.`,
  );
}

function readWords(said: JsonObject, param: string): Partial<Rates> {
  return readRates((word, scale) => {
    const given = said[word] ?? null;
    return given === null ? undefined : readRate(given, scale, `${param}.${word}`);
  });
}

function readRate(given: Json, scale: Scale, param: string): number {
  const written = decimalOf(given);
  const rate = written === undefined ? undefined : parseRate(written, scale);
  if (rate !== undefined) return rate;
  throw invalid(param, `'${param}' must be ${describeScale(scale)}.`);
}
