import { z } from "zod";
import { descriptionOf } from "#config/documents/fields.ts";
import { GROUP_FIELDS } from "#config/documents/group.ts";
import { CONTENT_LEVELS } from "#core/content-log.ts";
import { USUAL_FACTOR, type GroupChange } from "#core/group.ts";
import { readObjectName } from "#core/name.ts";
import { parseThousandths } from "#core/money.ts";
import { defined } from "#lib/values.ts";
import type { AccountDeps } from "#http/deps/accounts.ts";
import { optional, shownOnly } from "../fields.ts";
import { LIMITS, readLimits, readSharedLimits, SHARED_LIMITS } from "../limit-fields.ts";
import { MODELS, NAME, textsOf } from "../name-fields.ts";
import { PRICES, readPrices } from "./group-prices.ts";

const MAX_CHANNELS = 1_000;

const FACTOR = z
  .union([z.number().min(0).max(100), z.string().min(1).max(24)])
  .meta({ description: descriptionOf(GROUP_FIELDS.price_factor) })
  .transform((given, context) => {
    const factor = parseThousandths(String(given));
    if (factor === undefined) context.addIssue("must be from 0 to 100, of at most three decimals");
    return factor ?? USUAL_FACTOR;
  })
  .nullish()
  .transform((factor) => (factor === null ? USUAL_FACTOR : factor));

const FIELDS = {
  models: MODELS,
  channels: textsOf({
    item: z.string().min(1).max(512),
    max: MAX_CHANNELS,
    isGood: (name) => readObjectName(name) === name,
    what: "a channel's name",
    description: descriptionOf(GROUP_FIELDS.channels),
  }),
  price_factor: FACTOR,
  prices: PRICES,
  content_log: z
    .enum(CONTENT_LEVELS)
    .describe("Level of the content log for its users; null for that of the gateway.")
    .nullish(),
  ...LIMITS,
  ...SHARED_LIMITS,
};

export const NEW_GROUP = z.strictObject({ name: NAME, ...FIELDS });
export const CHANGED_GROUP = z.strictObject({
  name: optional(NAME),
  ...FIELDS,
  ...shownOnly(["id", "created_at"]),
});

export function readGroupFields(
  body: z.output<typeof NEW_GROUP> | z.output<typeof CHANGED_GROUP>,
  readModel: AccountDeps["readModel"],
): GroupChange {
  return defined({
    name: body.name,
    models: body.models,
    channels: body.channels,
    priceFactor: body.price_factor,
    prices: readPrices(body.prices, readModel),
    contentLog: body.content_log,
    limits: readLimits(body),
    sharedLimits: readSharedLimits(body),
  });
}
