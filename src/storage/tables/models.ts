import type { Selectable } from "kysely";
import type { ModelOverride } from "#core/model.ts";
import type { GradedRates } from "#core/money.ts";
import type { StoredModel } from "#core/stored-routing.ts";
import { parseJson } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { limitsOf } from "./limit-columns.ts";
import { gradedRates, writeGradedRates } from "./rates.ts";

/** The operator's overrides of the catalogue's models. */
export interface ModelsTable {
  name: string;
  /** JSON of `GradedRates`; null if the catalogue's price applies. */
  rates: string | null;
  /** Source of the rates and the day they were read. */
  source: string | null;
  date: string | null;
  context_tokens: number | null;
  max_output_tokens: number | null;
  /** The model that provides its traits. */
  like_model: string | null;
  requests_per_minute: number | null;
  tokens_per_minute: number | null;
  updated_at: number;
}

export function modelColumns(override: ModelOverride) {
  const { price, contextTokens, maxOutputTokens, like, limits } = override;
  const { source = null, date = null } = price ?? {};
  return {
    rates: price === undefined ? null : writeGradedRates(price),
    source,
    date,
    context_tokens: contextTokens ?? null,
    max_output_tokens: maxOutputTokens ?? null,
    like_model: like ?? null,
    requests_per_minute: limits?.requestsPerMinute ?? null,
    tokens_per_minute: limits?.tokensPerMinute ?? null,
  };
}

export function toStoredModel(row: Selectable<ModelsTable>): StoredModel {
  const rates = row.rates === null ? undefined : toRates(row.rates);
  const override = defined({
    price: rates && { ...rates, source: row.source ?? "", date: row.date ?? "" },
    contextTokens: row.context_tokens ?? undefined,
    maxOutputTokens: row.max_output_tokens ?? undefined,
    like: row.like_model ?? undefined,
    limits: limitsOf({ ...row, concurrency: null }),
  });
  return { name: row.name, override, updatedAt: row.updated_at };
}

function toRates(text: string): GradedRates | undefined {
  return gradedRates.safeParse(parseJson(text)).data;
}
