import { z } from "zod";
import { CONTENT_LEVELS } from "#core/content-log.ts";
import type { Group } from "#core/group.ts";
import { writeThousandths } from "#core/money.ts";
import type { JsonObject } from "#lib/json.ts";
import { showLimits, SHOWN_LIMITS, SHOWN_SHARED_LIMITS } from "../limit-fields.ts";
import { GRADED_RATES } from "../price-json.ts";
import { showPrices } from "./group-prices.ts";
import { seconds } from "../seconds.ts";

export const GROUP = z
  .object({
    id: z.int(),
    name: z.string(),
    models: z.array(z.string()).nullable(),
    channels: z.array(z.string()).nullable(),
    price_factor: z.string().describe("A decimal."),
    prices: z.record(z.string(), GRADED_RATES),
    content_log: z.enum(CONTENT_LEVELS).nullable(),
    ...SHOWN_LIMITS,
    ...SHOWN_SHARED_LIMITS,
    created_at: z.int(),
  })
  .meta({ id: "Group" });

export function showGroup(group: Group): JsonObject {
  return {
    id: group.id,
    name: group.name,
    models: group.models ?? null,
    channels: group.channels ?? null,
    price_factor: writeThousandths(group.priceFactor),
    prices: showPrices(group.prices),
    content_log: group.contentLog ?? null,
    ...showLimits(group.limits),
    ...showLimits(group.sharedLimits, "shared_"),
    created_at: seconds(group.createdAt),
  };
}
