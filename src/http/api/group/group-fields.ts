import { invalid } from "#core/error.ts";
import { USUAL_FACTOR, type GroupChange } from "#core/group.ts";
import { parseThousandths } from "#core/money.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { either, list, number, object, text } from "#lib/rules.ts";
import { decimalOf, defined } from "#lib/values.ts";
import type { HttpDeps } from "#http/deps.ts";
import { LIMITS, readLimits, SHARED_LIMITS } from "../limit-fields.ts";
import { MODELS, NAME, readModels, readName, readTexts } from "../name-fields.ts";
import { PRICES, readPrices } from "./group-prices.ts";

const MAX_CHANNELS = 1_000;
const CHANNEL = /^[A-Za-z0-9._-]{1,64}$/;

const FIELDS = {
  models: MODELS,
  channels: {
    ...list(text({ minLength: 1, maxLength: 64 }), MAX_CHANNELS, 1),
    doc: "Names of channels; null for all.",
  },
  price_factor: {
    ...either(number(0, 100), text({ minLength: 1, maxLength: 24 })),
    doc: "What usual prices are multiplied by, at most three decimals.",
  },
  prices: PRICES,
  ...LIMITS,
  ...SHARED_LIMITS,
};

export const NEW_GROUP = object({ "name!": NAME, ...FIELDS });
export const CHANGED_GROUP = object({ name: NAME, ...FIELDS });

/** Of a body that was held to one of the rules above. */
export function readGroupFields(body: JsonObject, readModel: HttpDeps["readModel"]): GroupChange {
  const isChannel = (name: string): boolean => CHANNEL.test(name);
  return defined({
    name: readName(body),
    models: readModels(body),
    channels: readTexts(body["channels"], "channels", "a channel's name", isChannel),
    priceFactor: readFactor(body["price_factor"]),
    prices: readPrices(body["prices"], readModel),
    limits: readLimits(body),
    sharedLimits: readLimits(body, "shared_"),
  });
}

function readFactor(given: Json | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (given === null) return USUAL_FACTOR;
  const written = decimalOf(given);
  const factor = written === undefined ? undefined : parseThousandths(written);
  if (factor !== undefined) return factor;
  throw invalid("price_factor", "'price_factor' must be from 0 to 100, of at most three decimals.");
}
