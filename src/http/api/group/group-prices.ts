import { invalid } from "#core/error.ts";
import { MODEL_PATTERN } from "#core/key.ts";
import { parseRate, RATE_WORDS, writeRate, type Price, type Rates } from "#core/money.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { either, number, object, text, type RecordRule } from "#lib/rules.ts";
import { decimalOf, defined } from "#lib/values.ts";

const MAX_PRICES = 1_000;

type Word = keyof typeof RATE_WORDS;

const rate = either(number(0, 100_000), text({ minLength: 1, maxLength: 24 }));

export const PRICES: RecordRule = {
  is: "record",
  of: object({
    "input!": rate,
    "output!": rate,
    cached_input: rate,
    cache_write: rate,
    audio_input: rate,
    audio_output: rate,
  }),
  doc:
    "Prices by model, in US dollars per million tokens, in place of the usual ones and of the " +
    "factor; what is left out costs as the input or the output does.",
};

/** Of a body that was held to the rule. */
export function readPrices(value: Json | undefined): ReadonlyMap<string, Rates> | undefined {
  if (value === undefined) return undefined;
  const members = isObject(value) ? Object.entries(value) : [];
  if (members.length > MAX_PRICES) {
    throw invalid("prices", `'prices' has more than ${MAX_PRICES} models.`);
  }
  return new Map(members.map(([model, price = null]) => [model, readRates(model, price)]));
}

export function showPrices(prices: ReadonlyMap<string, Price>): JsonObject {
  return Object.fromEntries([...prices].map(([model, price]) => [model, showRates(price)]));
}

function readRates(model: string, price: Json): Rates {
  const param = `prices.${model.slice(0, 64)}`;
  if (!MODEL_PATTERN.test(model) || model.endsWith("*")) {
    throw invalid(param, `'${param}' is not a model's name.`);
  }
  if (!isObject(price)) throw invalid(param, `'${param}' must be an object.`);
  for (const word of Object.keys(price)) {
    if (Object.hasOwn(RATE_WORDS, word)) continue;
    const known = Object.keys(RATE_WORDS).join(", ");
    throw invalid(param, `'${word.slice(0, 64)}' is not known in '${param}'; it has: ${known}.`);
  }
  const required = (word: Word): number => readRate(price[word], `${param}.${word}`);
  const optional = (word: Word): number | undefined =>
    price[word] === undefined || price[word] === null ? undefined : required(word);
  return {
    input: required("input"),
    output: required("output"),
    ...defined({
      cachedInput: optional("cached_input"),
      cacheWrite: optional("cache_write"),
      audioInput: optional("audio_input"),
      audioOutput: optional("audio_output"),
    }),
  };
}

function readRate(given: Json | undefined, param: string): number {
  const written = decimalOf(given);
  const parsed = written === undefined ? undefined : parseRate(written);
  if (parsed !== undefined) return parsed;
  throw invalid(
    param,
    `'${param}' must be US dollars per million tokens, of at most six decimals and 100000.`,
  );
}

function showRates(rates: Rates): JsonObject {
  const shown = Object.entries(RATE_WORDS).flatMap(([word, name]) => {
    const { [name]: each } = rates;
    return each === undefined ? [] : [[word, Number(writeRate(each))] as const];
  });
  return Object.fromEntries(shown);
}
