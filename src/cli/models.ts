import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, memberOf, textOf } from "#lib/values.ts";
import { table, type Noun } from "./command.ts";
import { MODEL_PRICES } from "./model-prices.ts";
import { catalog, revert, update } from "./models-update.ts";

export const models: Noun = {
  name: "models",
  verbs: [
    {
      usage: "list",
      doc: "lists the models with their channels and prices in dollars per million tokens; --unpriced: only models without a price",
      options: { unpriced: undefined },
      ask(words) {
        words.none();
        return {
          method: "GET",
          path: words.has("unpriced") ? "/api/model?unpriced=true" : "/api/model",
        };
      },
      show: (data) =>
        table(
          {
            items: [
              ...listOf(data["items"]).filter(isObject).flatMap(byServer),
              ...listOf(data["retired"]).filter(isObject).map(asRetired),
            ],
          },
          HEAD,
          (model) => [
            model["name"] ?? null,
            model["channel"] ?? null,
            model["model"] ?? null,
            memberOf(model["price"], "input") ?? null,
            memberOf(model["price"], "output") ?? null,
            model["context"] ?? null,
            memberOf(model["price"], "source") ?? null,
          ],
        ),
    },
    catalog,
    update,
    revert,
    ...MODEL_PRICES,
  ],
};

const HEAD = ["name", "channel", "sent as", "input $", "output $", "context", "price from"];

/** Its vendor stopped serving it, so no call is sent. */
function asRetired(model: JsonObject): JsonObject {
  return { ...model, model: `retired on ${textOf(model["since"]) ?? ""}` };
}

function byServer(model: JsonObject): readonly JsonObject[] {
  const servers: readonly Json[] = isArray(model["served_by"]) ? model["served_by"] : [];
  return servers.filter(isObject).map((server) => ({ ...server, name: model["name"] ?? null }));
}
