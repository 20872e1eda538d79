import { z } from "zod";
import { writeUsd } from "#core/money.ts";
import {
  USAGE_DIMENSIONS,
  type UsageDimension,
  type UsageGroup,
  type UsageQuery,
  type UsageReport,
  type UsageSum,
} from "#core/usage-report.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { USAGE_COUNTS } from "../usage-counts.ts";

const SUM = {
  calls: z.int(),
  failed_calls: z.int(),
  ...USAGE_COUNTS,
  cost_usd: z.string().describe("A decimal."),
};

export const REPORT = z
  .object({
    from: z.int(),
    to: z.int(),
    by: z.array(z.enum(USAGE_DIMENSIONS)),
    is_complete: z.boolean(),
    total: z.object(SUM),
    items: z.array(
      z.object({
        hour: z.string().optional(),
        day: z.string().optional(),
        month: z.string().optional(),
        key_id: z.int().nullable().optional(),
        user_id: z.int().nullable().optional(),
        model: z.string().nullable().optional(),
        channel: z.string().nullable().optional(),
        ...SUM,
      }),
    ),
  })
  .meta({ id: "UsageReport" });

/** By time, and at the same time the dearest first. */
export function showReport({ from, to, by }: UsageQuery, report: UsageReport): JsonObject {
  const groups = report.groups.toSorted(
    (one, other) =>
      timeOf(one) - timeOf(other) ||
      other.sum.cost - one.sum.cost ||
      other.sum.calls - one.sum.calls,
  );
  return {
    from: from / 1_000,
    to: to / 1_000,
    by,
    is_complete: report.isComplete,
    total: showSum(report.total),
    items: groups.map(({ of, sum }) => ({
      ...Object.fromEntries(
        by.map((each) => [FIELDS[each], showValue(each, of[each] ?? null)] as const),
      ),
      ...showSum(sum),
    })),
  };
}

const FIELDS: Readonly<Record<UsageDimension, string>> = {
  hour: "hour",
  day: "day",
  month: "month",
  key: "key_id",
  user: "user_id",
  model: "model",
  channel: "channel",
};

function timeOf({ of }: UsageGroup): number {
  return Number(of.hour ?? of.day ?? of.month ?? 0);
}

/** `2026-01-31T23:00:00Z`, `2026-01-31`, `2026-01`: always UTC. */
function showValue(dimension: UsageDimension, value: number | string | null): Json {
  const length = TIME_CHARS[dimension];
  if (length === undefined || value === null) return value;
  const text = new Date(value).toISOString().slice(0, length);
  return dimension === "hour" ? `${text}Z` : text;
}

const TIME_CHARS: Partial<Record<UsageDimension, number>> = { hour: 19, day: 10, month: 7 };

function showSum(sum: UsageSum): JsonObject {
  return {
    calls: sum.calls,
    failed_calls: sum.failedCalls,
    input_tokens: sum.inputTokens,
    cached_input_tokens: sum.cachedInputTokens,
    cache_write_tokens: sum.cacheWriteTokens,
    audio_input_tokens: sum.audioInputTokens,
    output_tokens: sum.outputTokens,
    reasoning_tokens: sum.reasoningTokens,
    audio_output_tokens: sum.audioOutputTokens,
    image_input_tokens: sum.imageInputTokens,
    image_output_tokens: sum.imageOutputTokens,
    images: sum.images,
    reference_images: sum.referenceImages,
    media_seconds: sum.durationMs / 1_000,
    characters: sum.characters,
    searches: sum.searches,
    cost_usd: writeUsd(sum.cost),
  };
}
