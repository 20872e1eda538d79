import type { NanoUsd } from "#core/money.ts";

/** Totals of the calls admitted within one hour. */
export interface UsageHoursTable {
  /** Start of the hour, Unix ms. */
  hour: number;
  user_id: number;
  key_id: number;
  /** 0 if the user had none. */
  team_id: number;
  group_id: number;
  /** Empty if the model is unknown: clients can send any name. */
  model: string;
  /** Empty if no channel answered. */
  channel: string;
  /** Empty for calls of earlier versions. */
  endpoint: string;
  calls: number;
  failed_calls: number;
  input_tokens: number;
  cached_input_tokens: number;
  cache_write_tokens: number;
  audio_input_tokens: number;
  output_tokens: number;
  reasoning_tokens: number;
  audio_output_tokens: number;
  cost: NanoUsd;
  image_input_tokens: number;
  image_output_tokens: number;
  images: number;
  /** Length of audio and video. */
  media_ms: number;
  characters: number;
  searches: number;
  reference_images: number;
}

/** The same for the calls with one label; a call with several is in each of them. */
export interface UsageLabelsTable extends UsageHoursTable {
  /** `tag:project=x` or `session:<id>`; `tag:` and `session:` for those above the limit. */
  label: string;
}

/** Totals of the calls admitted within one day. */
export interface UsageDaysTable extends Omit<UsageHoursTable, "hour"> {
  /** Start of the day in UTC, Unix ms. */
  day: number;
}

export interface UsageLabelDaysTable extends UsageDaysTable {
  label: string;
}

/** The same without model, channel and endpoint. */
export interface UsageLabelOwnersTable extends Omit<
  UsageLabelDaysTable,
  "model" | "channel" | "endpoint"
> {}

type Counts = Pick<UsageHoursTable, (typeof COUNTS)[number]>;

/** Totals of an hour by one dimension alone. */
export interface UsageTotalsTable extends Counts {
  dimension: TotalDimension;
  hour: number;
  /** Of a user, team or group; 0 for other dimensions. */
  id: number;
  /** Of a model, channel or endpoint; empty for other dimensions. */
  name: string;
}

/** All calls of a key, as far as they are in the hours. */
export interface KeyUsageTable {
  key_id: number;
  calls: number;
  cost: NanoUsd;
}

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** In the order of the key. */
export const DIMENSIONS = [
  "hour",
  "user_id",
  "key_id",
  "team_id",
  "group_id",
  "model",
  "channel",
  "endpoint",
] as const;

/** The dimensions of `usage_label_owners`. */
export const OWNER_DIMENSIONS = ["user_id", "key_id", "team_id", "group_id"] as const;

/** The dimensions with totals by the hour; keys have an index of their own. */
export const TOTAL_DIMENSIONS = [
  "endpoint",
  "model",
  "channel",
  "user_id",
  "team_id",
  "group_id",
] as const;
export type TotalDimension = (typeof TOTAL_DIMENSIONS)[number];

/** The column of `usage_totals` with the value of a dimension. */
export function totalColumn(dimension: TotalDimension): "id" | "name" {
  return dimension.endsWith("_id") ? "id" : "name";
}

export const COUNTS = [
  "calls",
  "failed_calls",
  "input_tokens",
  "cached_input_tokens",
  "cache_write_tokens",
  "audio_input_tokens",
  "output_tokens",
  "reasoning_tokens",
  "audio_output_tokens",
  "cost",
  "image_input_tokens",
  "image_output_tokens",
  "images",
  "media_ms",
  "characters",
  "searches",
  "reference_images",
] as const;
