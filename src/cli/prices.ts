import type { Json, JsonObject } from "#lib/json.ts";
import { memberOf, textOf } from "#lib/values.ts";
import { table, UsageError, type Noun } from "./command.ts";

/** Prices: models without one, and discounts of channels. Lists are imported by `models update`. */
export const prices: Noun = {
  name: "prices",
  verbs: [
    {
      usage: "unpriced",
      doc: "lists models that were used without a price in the last 30 days, with the price of the nearest known model; --all: also unused ones",
      options: { all: undefined },
      ask(words) {
        words.none();
        return {
          method: "GET",
          path: words.has("all") ? "/api/price/unpriced?all=true" : "/api/price/unpriced",
        };
      },
      show: (data) => table(data, HEAD, rowOf),
    },
    {
      usage: "factor <channel> <factor>",
      doc: "sets a discount or surcharge on the prices of a stored channel: 0.9 is 10 % less, 'none' removes it",
      ask(words) {
        const [id, factor] = words.two("the id or name of a channel and a factor");
        if (factor !== "none" && !/^\d{1,3}(?:\.\d{1,3})?$/.test(factor)) {
          throw new UsageError("A factor is a number such as 0.9, or 'none'.");
        }
        return {
          method: "PUT",
          path: `/api/channel/${encodeURIComponent(id)}`,
          body: { price_factor: factor === "none" ? null : factor },
        };
      },
      show: (data) => {
        const factor = textOf(data["price_factor"]);
        const name = textOf(data["name"]) ?? "";
        return [
          factor === undefined
            ? `${name} has the usual prices.`
            : `${name} has ${factor} of the usual prices.`,
        ];
      },
    },
  ],
};

const HEAD = ["model", "channel", "calls", "like", "of", "input $", "output $", "source", "date"];

function rowOf(item: JsonObject): readonly Json[] {
  const suggestion = item["suggestion"];
  const price = memberOf(suggestion, "price");
  return [
    item["model"] ?? null,
    item["channel"] ?? null,
    item["calls"] ?? null,
    memberOf(suggestion, "model") ?? null,
    memberOf(suggestion, "provider") ?? null,
    memberOf(price, "input") ?? null,
    memberOf(price, "output") ?? null,
    memberOf(price, "source") ?? null,
    memberOf(price, "date") ?? null,
  ];
}
