import { CONTENT_LEVELS } from "#core/content-log.ts";
import { USUAL_FACTOR, type Group } from "#core/group.ts";
import type { GradedRates } from "#core/money.ts";
import { defined } from "#lib/values.ts";
import { quote } from "../mistakes.ts";
import { objectName } from "../names.ts";
import { choice } from "../parsers.ts";
import type { z } from "zod";
import { displayName } from "./display-name.ts";
import { factor } from "./factor.ts";
import { ALWAYS, dictionary, fields, list, notEmpty } from "./fields.ts";
import { modelPattern } from "./key.ts";
import { GROUP_LIMITS } from "./limits.ts";
import { checkPrice, PRICE_FIELDS, priceOf } from "./price.ts";

const MAX_ITEMS = 1_000;
const ALL = { whenEmpty: "leave it out to allow all.", max: MAX_ITEMS };

const price = fields(PRICE_FIELDS)
  .superRefine(checkPrice, ALWAYS)
  .check(notEmpty('is not a price. Give it "input" and "output".'))
  .transform(priceOf);

export const GROUP_FIELDS = {
  name: displayName.schema.describe("Unique; 1 to 100 visible characters."),
  models: list(modelPattern.schema, ALL)
    .describe("Names of models; a trailing `*` matches any ending. All if absent.")
    .optional(),
  channels: list(objectName.schema, ALL).describe("Names of channels. All if absent.").optional(),
  price_factor: factor.schema
    .describe("Factor of the usual prices, with at most three decimals. 1 if absent.")
    .optional(),
  prices: dictionary(price, {
    wrongType: "is not a map from model names to prices.",
    max: MAX_ITEMS,
    nameProblem: (name) =>
      modelPattern.parse(name) === undefined || name.endsWith("*")
        ? `${quote(name)} is not a model's name.`
        : undefined,
  })
    .describe("Prices by model, which replace the usual price and the factor.")
    .optional(),
  content_log: choice(...CONTENT_LEVELS)
    .schema.describe(
      "Level of the content log for its users: `off`, `errors` or `all`. That of the gateway if absent.",
    )
    .optional(),
  limits: GROUP_LIMITS.describe("Limits of each user of the group.").optional(),
  shared_limits: GROUP_LIMITS.describe("Limits of all users of the group together.").optional(),
};

export const GROUP = fields(GROUP_FIELDS);

/** The complete description of a group in a document. */
export type DescribedGroup = Pick<
  Group,
  "models" | "channels" | "priceFactor" | "contentLog" | "limits" | "sharedLimits"
> & { readonly prices: ReadonlyMap<string, GradedRates> };

export function groupOf(given: Omit<z.output<typeof GROUP>, "name">): DescribedGroup {
  const { models, channels, price_factor: priceFactor = USUAL_FACTOR, limits } = given;
  const prices = [...(given.prices ?? [])].flatMap(([model, rates]) =>
    rates === undefined ? [] : [[model, rates] as const],
  );
  return {
    priceFactor,
    prices: new Map(prices),
    ...defined({
      models,
      channels,
      limits,
      sharedLimits: given.shared_limits,
      contentLog: given.content_log,
    }),
  };
}
