import type { Generated } from "kysely";
import { z } from "zod";
import type { ContentLevel } from "#core/content-log.ts";
import type { Group, GroupChange } from "#core/group.ts";
import type { GradedRates, Price } from "#core/money.ts";
import { limitColumns, limitsOf, type LimitColumns } from "./limit-columns.ts";
import { gradedRates } from "./rates.ts";

export interface GroupsTable extends LimitColumns {
  id: Generated<number>;
  name: string;
  /** JSON array of names and patterns; `null` allows all. */
  models: string | null;
  /** JSON array of names; `null` allows all. */
  channels: string | null;
  /** In thousandths. */
  price_factor: number;
  /** JSON object of `GradedRates` by model. */
  prices: string;
  /** Shared by all users of the group. */
  shared_requests_per_minute: number | null;
  shared_tokens_per_minute: number | null;
  shared_concurrency: number | null;
  content_log: ContentLevel | null;
  /** Incremented with every change. */
  version: number;
  created_at: number;
  changed_at: number;
}

/** Aliased, because a query joins them with a key's own columns. */
export const GROUP_COLUMNS = [
  "groups.id as group_id",
  "groups.name as group_name",
  "groups.models as group_models",
  "groups.channels as group_channels",
  "groups.price_factor as group_price_factor",
  "groups.prices as group_prices",
  "groups.requests_per_minute as group_rpm",
  "groups.tokens_per_minute as group_tpm",
  "groups.concurrency as group_concurrency",
  "groups.shared_requests_per_minute as group_shared_rpm",
  "groups.shared_tokens_per_minute as group_shared_tpm",
  "groups.shared_concurrency as group_shared_concurrency",
  "groups.content_log as group_content_log",
  "groups.version as group_version",
  "groups.created_at as group_created_at",
  "groups.changed_at as group_changed_at",
] as const;

export interface GroupRow {
  readonly group_id: number;
  readonly group_name: string;
  readonly group_models: string | null;
  readonly group_channels: string | null;
  readonly group_price_factor: number;
  readonly group_prices: string;
  readonly group_rpm: number | null;
  readonly group_tpm: number | null;
  readonly group_concurrency: number | null;
  readonly group_shared_rpm: number | null;
  readonly group_shared_tpm: number | null;
  readonly group_shared_concurrency: number | null;
  readonly group_content_log: ContentLevel | null;
  readonly group_version: number;
  readonly group_created_at: number;
  readonly group_changed_at: number;
}

export function toGroup(row: GroupRow): Group {
  const limits = limitsOf({
    requests_per_minute: row.group_rpm,
    tokens_per_minute: row.group_tpm,
    concurrency: row.group_concurrency,
  });
  const sharedLimits = limitsOf({
    requests_per_minute: row.group_shared_rpm,
    tokens_per_minute: row.group_shared_tpm,
    concurrency: row.group_shared_concurrency,
  });
  return Object.freeze({
    id: row.group_id,
    name: row.group_name,
    ...(row.group_models === null ? {} : { models: textsIn(row.group_models) }),
    ...(row.group_channels === null ? {} : { channels: textsIn(row.group_channels) }),
    priceFactor: row.group_price_factor,
    prices: pricesIn(row),
    ...(limits === undefined ? {} : { limits }),
    ...(sharedLimits === undefined ? {} : { sharedLimits }),
    ...(row.group_content_log === null ? {} : { contentLog: row.group_content_log }),
    createdAt: row.group_created_at,
  });
}

/** The columns that a change sets. */
export function groupColumns(change: GroupChange) {
  const { name, models, channels, priceFactor, prices, limits = {}, sharedLimits = {} } = change;
  const { contentLog } = change;
  const shared = limitColumns(sharedLimits);
  return {
    ...(name === undefined ? {} : { name }),
    ...(models === undefined ? {} : { models: models && JSON.stringify(models) }),
    ...(channels === undefined ? {} : { channels: channels && JSON.stringify(channels) }),
    ...(priceFactor === undefined ? {} : { price_factor: priceFactor }),
    ...(prices === undefined ? {} : { prices: writePrices(prices) }),
    ...(contentLog === undefined ? {} : { content_log: contentLog }),
    ...limitColumns(limits),
    ...Object.fromEntries(Object.entries(shared).map(([each, value]) => [`shared_${each}`, value])),
  };
}

function writePrices(prices: ReadonlyMap<string, GradedRates>): string {
  return JSON.stringify(Object.fromEntries(prices));
}

function pricesIn(row: GroupRow): ReadonlyMap<string, Price> {
  const source = `the group '${row.group_name}'`;
  const date = new Date(row.group_changed_at).toISOString().slice(0, 10);
  // Built by hand, because Zod drops the key `__proto__`, which is a valid model name.
  const written = Object.entries<unknown>(JSON.parse(row.group_prices));
  return new Map(
    written.map(([model, each]) => [model, { ...gradedRates.parse(each), source, date }]),
  );
}

const texts = z.array(z.string());

function textsIn(json: string): readonly string[] {
  return Object.freeze(texts.parse(JSON.parse(json)));
}
