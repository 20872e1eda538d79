import { z } from "zod";
import type { CatalogFacts, CatalogPlan, CatalogState } from "#core/catalog-update.ts";
import { invalid } from "#core/error.ts";
import { isDay } from "#lib/iso-date.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import type { RoutingDeps } from "#http/deps/routing.ts";
import { succeed } from "../envelope.ts";
import { jsonField } from "../fields.ts";
import { management } from "../management.ts";

const MAX_CATALOG_BYTES = 8 * 1024 * 1024;
const MAX_FILES = 100;
const MAX_ROWS = 5_000;
const PROVIDER = /^[a-z0-9-]{1,64}$/;

const FACTS = z.looseObject({
  provider: z.string().min(1).max(64),
  source: z.string().max(500).describe("Source of the facts; a row may have its own.").nullish(),
  date: z.string().min(10).max(10).describe("Day on which the facts were checked."),
  models: z.array(z.looseObject({})).max(MAX_ROWS),
});

const LIST = z.union([z.looseObject({}), z.array(z.looseObject({}))]);

const UPDATE = z.looseObject({
  files: jsonField(z.array(FACTS).min(1).max(MAX_FILES)).optional(),
  list: jsonField(LIST)
    .describe("Instead of `files`: LiteLLM's, models.dev's or genai-prices' list, as published.")
    .optional(),
  date: z
    .string()
    .max(10)
    .describe("Day on which the list was read from its source; today if absent.")
    .optional(),
  providers: z
    .array(z.string().max(64))
    .max(MAX_FILES)
    .describe("Providers whose models of the list are taken; all if absent.")
    .optional(),
});

const PLAN = z
  .object({
    added: z.array(
      z.object({ provider: z.string(), id: z.string(), price: z.looseObject({}).nullable() }),
    ),
    changed: z.array(
      z.object({
        provider: z.string(),
        id: z.string(),
        field: z.string(),
        before: z.string().nullable(),
        after: z.string().nullable(),
      }),
    ),
    unchanged: z.int(),
    left_out: z.array(z.object({ provider: z.string(), id: z.string(), why: z.string() })),
    plan: z.string().describe("Digest of the plan."),
    format: z.string().nullable().describe("Format of the list."),
    other_providers: z
      .record(z.string(), z.int())
      .describe("Models of the list by provider that this gateway does not have."),
  })
  .meta({ id: "CatalogPlan" });

const STATE = z.object({
  shipped: z.string(),
  updated: z.string().nullable(),
  age_days: z.int(),
  is_old: z.boolean(),
  updated_rows: z.int(),
  items: z.array(z.object({ provider: z.string(), rows: z.int() })),
});

const PROVIDERS = z.object({
  provider: z
    .string()
    .optional()
    .transform((named, context) => {
      const providers = named?.split(",");
      if (providers?.every((each) => PROVIDER.test(each)) === false) {
        context.addIssue("must be ids of providers, separated by commas");
      }
      return providers;
    })
    .meta({ description: "Ids of providers, separated by commas; all if absent." }),
});

const PLANNED = z.object({
  plan: z
    .string()
    .optional()
    .transform((given, context) => {
      if (given !== undefined && !/^[0-9a-f]{64}$/.test(given)) {
        context.addIssue("must be the digest of a plan");
      }
      return given;
    })
    .meta({ description: "Digest of the plan that was checked." }),
});

const common = { path: "/api/catalog", tag: "Catalog" } as const;

export const showCatalog = management({
  operationId: "showCatalog",
  ...common,
  method: "GET",
  access: "auditor",
  scope: "models:read",
  summary: "Age of the model catalogue, and the number of rows updated since its release.",
  data: STATE,

  handle: ({ id }, { catalogUpdates }: Pick<RoutingDeps, "catalogUpdates">) =>
    succeed(id, "", showState(catalogUpdates.describe())),
});

const updating = {
  ...common,
  method: "POST",
  access: "admin",
  scope: "models:write",
  maxBodyBytes: MAX_CATALOG_BYTES,
  body: UPDATE,
  data: PLAN,
} as const;

export const planCatalogUpdate = management({
  operationId: "planCatalogUpdate",
  ...updating,
  path: "/api/catalog/plan",
  summary:
    "Plan of a catalogue update from files of model facts: new models, prices and " +
    "other facts before and after, and rows that are skipped, with the reason.",

  async handle(exchange, { catalogUpdates, clock }: UpdateDeps, { body }) {
    return succeed(exchange.id, "", showPlan(catalogUpdates.plan(factsIn(body, clock.now()))));
  },
});

export const updateCatalog = management({
  operationId: "updateCatalog",
  ...updating,
  summary:
    "Applies the plan for these files. Updated rows replace the shipped ones " +
    "in all gateways of this database. Running calls keep their price. If `plan` is given and " +
    "the plan is outdated, the answer is 409.",
  query: PLANNED,

  async handle(exchange, { catalogUpdates, clock }: UpdateDeps, { body, query: { plan: digest } }) {
    const plan = await catalogUpdates.apply(factsIn(body, clock.now()), digest);
    exchange.note(countsOf(plan));
    return succeed(exchange.id, "The catalogue was updated.", showPlan(plan));
  },
});

type UpdateDeps = Pick<RoutingDeps, "catalogUpdates" | "clock">;

function factsIn(body: z.output<typeof UPDATE>, now: number): CatalogFacts {
  const { files, list, date = new Date(now).toISOString().slice(0, 10), providers } = body;
  if (list === undefined) {
    if (files === undefined) throw invalid("files", "Give 'files' or 'list'.");
    return { files };
  }
  if (files !== undefined) throw invalid("list", "Give 'files' or 'list', not both.");
  if (!isDay(date)) throw invalid("date", "'date' must be a day such as 2026-11-27.");
  return { list, date, ...defined({ providers }) };
}

export const takeBackCatalog = management({
  operationId: "takeBackCatalog",
  ...common,
  method: "DELETE",
  access: "admin",
  scope: "models:write",
  summary:
    "Deletes updates of the catalogue: the shipped rows apply again. `provider=a,b` selects " +
    "updates of some providers.",
  query: PROVIDERS,
  data: z.object({ rows: z.int() }),

  async handle(exchange, { catalogUpdates }: Pick<RoutingDeps, "catalogUpdates">, { query }) {
    const count = await catalogUpdates.remove(query.provider);
    exchange.note({ rows: count });
    return succeed(exchange.id, "The updates were deleted.", { rows: count });
  },
});

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

function showPlan({ added, changed, unchanged, leftOut, digest, list }: CatalogPlan): JsonObject {
  return {
    added: added.map(({ provider, id, price }) => ({ provider, id, price: price ?? null })),
    changed: changed.map(({ before, after, ...each }) => ({
      ...each,
      before: before ?? null,
      after: after ?? null,
    })),
    unchanged,
    left_out: leftOut.map((each): Json => ({ ...each })),
    plan: digest,
    format: list?.format ?? null,
    other_providers: Object.fromEntries(list?.otherProviders ?? []),
  };
}

/** Counts for the audit log. */
function countsOf({ added, changed, unchanged, leftOut }: CatalogPlan): JsonObject {
  const rows = new Set(changed.map(({ provider, id }) => `${provider} ${id}`));
  return { added: added.length, changed: rows.size, unchanged, left_out: leftOut.length };
}
