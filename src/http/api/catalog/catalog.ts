import type { CatalogPlan, CatalogState } from "#core/catalog-update.ts";
import { invalid } from "#core/error.ts";
import { validate } from "#core/validate.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { schemaOf } from "#lib/rule-schema.ts";
import { list, object, text } from "#lib/rules.ts";
import type { HttpDeps } from "#http/deps.ts";
import type { Exchange, Route } from "#http/routes.ts";
import { renderFailure, succeed } from "../envelope.ts";

const MAX_CATALOG_BYTES = 8 * 1024 * 1024;
const MAX_FILES = 100;
const MAX_ROWS = 5_000;
const PROVIDER = /^[a-z0-9-]{1,64}$/;

const UPDATE = object({
  "files!": list(
    object({
      "provider!": text({ minLength: 1, maxLength: 64 }),
      source: text({ maxLength: 500, doc: "Where the facts were read; a row may name its own." }),
      "date!": text({ minLength: 10, maxLength: 10, doc: "The day on which they held." }),
      "models!": list(object({}), MAX_ROWS),
    }),
    MAX_FILES,
    1,
  ),
});

const common = { renderError: renderFailure, path: "/api/catalog" } as const;

export const showCatalog: Route<HttpDeps> = {
  ...common,
  method: "GET",
  access: "auditor",
  summary:
    "How old the catalogue of models is, and how many of its rows were updated since it shipped.",

  handle: ({ id }, { catalogUpdates }) => succeed(id, "", showState(catalogUpdates.describe())),
};

export const planCatalogUpdate: Route<HttpDeps> = {
  ...common,
  method: "POST",
  path: "/api/catalog/plan",
  access: "admin",
  maxBodyBytes: MAX_CATALOG_BYTES,
  summary:
    "What files of facts about models would change in the catalogue: new models, prices and " +
    "other facts before and after, and what is left out and why.",
  requestSchema: () => schemaOf(UPDATE),

  async handle(exchange, { catalogUpdates }) {
    return succeed(exchange.id, "", showPlan(catalogUpdates.plan(await readUpdate(exchange))));
  },
};

export const updateCatalog: Route<HttpDeps> = {
  ...planCatalogUpdate,
  path: common.path,
  summary:
    "Does what the plan for these files says. Updated rows take the place of the shipped ones, " +
    "in all gateways of this database. Calls under way keep their price.",

  async handle(exchange, { catalogUpdates }) {
    const plan = await catalogUpdates.apply(await readUpdate(exchange));
    exchange.note(countsOf(plan));
    return succeed(exchange.id, "The catalogue was updated.", showPlan(plan));
  },
};

export const takeBackCatalog: Route<HttpDeps> = {
  ...common,
  method: "DELETE",
  access: "admin",
  summary:
    "Takes updates of the catalogue back: the shipped rows hold again. `provider=a,b` chooses " +
    "those of some providers.",

  async handle(exchange, { catalogUpdates }) {
    const count = await catalogUpdates.remove(readProviders(exchange.query.get("provider")));
    exchange.note({ rows: count });
    return succeed(exchange.id, "The updates were taken back.", { rows: count });
  },
};

async function readUpdate(exchange: Exchange): Promise<JsonObject> {
  const { json } = await exchange.readJson(MAX_CATALOG_BYTES);
  validate(json, UPDATE);
  return json;
}

function readProviders(named: string | null): readonly string[] | undefined {
  if (named === null) return undefined;
  const providers = named.split(",");
  if (providers.every((each) => PROVIDER.test(each))) return providers;
  throw invalid("provider", "'provider' must be ids of providers, with commas between them.");
}

function showState({ shipped, updated, ageDays, isOld, rows }: CatalogState): JsonObject {
  return {
    shipped,
    updated: updated ?? null,
    age_days: ageDays,
    is_old: isOld,
    updated_rows: [...rows.values()].reduce((sum, count) => sum + count, 0),
    items: [...rows].map(([provider, count]) => ({ provider, rows: count })),
  };
}

function showPlan({ added, changed, unchanged, leftOut }: CatalogPlan): JsonObject {
  return {
    added: added.map(({ provider, id, price }) => ({ provider, id, price: price ?? null })),
    changed: changed.map(({ before, after, ...each }) => ({
      ...each,
      before: before ?? null,
      after: after ?? null,
    })),
    unchanged,
    left_out: leftOut.map((each): Json => ({ ...each })),
  };
}

/** Counts for the audit log. */
function countsOf({ added, changed, unchanged, leftOut }: CatalogPlan): JsonObject {
  const rows = new Set(changed.map(({ provider, id }) => `${provider} ${id}`));
  return { added: added.length, changed: rows.size, unchanged, left_out: leftOut.length };
}
