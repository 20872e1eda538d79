import type { WebSearch } from "#core/chat.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined, textOf } from "#lib/values.ts";

/** Where a search is to be made from, approximately: three styles write it alike. */
export function parsePlace(place: JsonObject): NonNullable<WebSearch["location"]> {
  return defined({
    country: textOf(place["country"]),
    region: textOf(place["region"]),
    city: textOf(place["city"]),
    timezone: textOf(place["timezone"]),
  });
}
