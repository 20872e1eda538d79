import type { Group } from "#core/group.ts";
import { writeThousandths } from "#core/money.ts";
import type { JsonObject } from "#lib/json.ts";
import { showLimits } from "../limit-fields.ts";
import { showPrices } from "./group-prices.ts";
import { seconds } from "../seconds.ts";

export function showGroup(group: Group): JsonObject {
  return {
    id: group.id,
    name: group.name,
    models: group.models ?? null,
    channels: group.channels ?? null,
    price_factor: writeThousandths(group.priceFactor),
    prices: showPrices(group.prices),
    ...showLimits(group.limits),
    ...showLimits(group.sharedLimits, "shared_"),
    created_at: seconds(group.createdAt),
  };
}

/** What is shown, and cannot be set. */
export const SHOWN_FIELDS = ["id", "created_at"];
