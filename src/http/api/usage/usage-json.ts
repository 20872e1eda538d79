import { z } from "zod";
import { inCurrency, rateOf, type DisplayCurrency } from "#core/display-currency.ts";
import { writeUsd } from "#core/money.ts";
import type { TimeSpan } from "#core/previous-period.ts";
import {
  USAGE_DIMENSIONS,
  type UsageDimension,
  type UsageNames,
  type UsageReport,
  type UsageSum,
} from "#core/usage-report.ts";
import type { CsvTable } from "#lib/csv.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { USAGE_COUNTS } from "../usage-counts.ts";
import { EMPTY_SUM, type ComparedGroup } from "./compare.ts";

const COUNTED = { calls: z.int(), failed_calls: z.int(), ...USAGE_COUNTS };
export const SUM = {
  ...COUNTED,
  cost_usd: z.string().describe("A decimal."),
  cost_display: z
    .string()
    .optional()
    .describe("The same in the currency of `display`, if the gateway shows one."),
};
const PREVIOUS = z.object(SUM).optional().describe("The period before, with `compare=previous`.");
const NAME = z.string().nullable().optional();
const ID = z.int().nullable().optional();

export const DISPLAY = z
  .object({ currency: z.string(), rate: z.string().describe("Its amount for one US dollar.") })
  .meta({ id: "DisplayCurrency" });

export const REPORT = z
  .object({
    from: z.int(),
    to: z.int(),
    by: z.array(z.enum(USAGE_DIMENSIONS)),
    is_complete: z.boolean(),
    display: DISPLAY.optional(),
    previous: z.object({ from: z.int(), to: z.int(), is_complete: z.boolean() }).optional(),
    total: z.object({ ...SUM, previous: PREVIOUS }),
    items: z.array(
      z.object({
        hour: z.string().optional(),
        day: z.string().optional(),
        month: z.string().optional(),
        key_id: ID,
        key_name: NAME,
        user_id: ID,
        user_name: NAME,
        team_id: ID,
        team_name: NAME,
        group_id: ID,
        group_name: NAME,
        model: NAME,
        channel: NAME,
        endpoint: NAME,
        tag: NAME,
        session: NAME,
        ...SUM,
        previous: PREVIOUS,
      }),
    ),
    others: z
      .object(SUM)
      .optional()
      .describe("The sum of the groups above `limit`, of the period itself."),
  })
  .meta({ id: "UsageReport" });

/** A report, and the one of the period before if it was asked for. */
export interface ShownReport {
  readonly span: TimeSpan;
  readonly by: readonly UsageDimension[];
  readonly report: UsageReport;
  readonly before?: { readonly span: TimeSpan; readonly report: UsageReport };
  /** By time, and at the same time the dearest first. */
  readonly groups: readonly ComparedGroup[];
  readonly names: UsageNames;
  readonly display?: DisplayCurrency | undefined;
}

export function sortedGroups(groups: readonly ComparedGroup[]): readonly ComparedGroup[] {
  return groups.toSorted(
    (one, other) =>
      timeOf(one) - timeOf(other) ||
      other.sum.cost - one.sum.cost ||
      other.sum.calls - one.sum.calls,
  );
}

export function showReport({
  span,
  by,
  report,
  before,
  groups,
  names,
  display,
}: ShownReport): JsonObject {
  const sumOf = (sum: UsageSum): JsonObject => showSum(sum, display);
  return {
    ...showSpan(span),
    by,
    is_complete: report.isComplete,
    ...(display && { display: showDisplay(display) }),
    ...(before && {
      previous: { ...showSpan(before.span), is_complete: before.report.isComplete },
    }),
    total: {
      ...sumOf(report.total),
      ...(before && { previous: sumOf(before.report.total) }),
    },
    items: groups.map((group) => ({
      ...showKey(group, by, names),
      ...sumOf(group.sum),
      ...(before && { previous: sumOf(group.previous ?? EMPTY_SUM) }),
    })),
    ...(report.others && { others: sumOf(report.others) }),
  };
}

/** A row for each group. Sums of the period before follow with the prefix `previous_`. */
export function reportRows({ by, before, groups, names, display }: ShownReport): CsvTable {
  const keys = by.flatMap((each) => fieldsOf(each));
  const sums = sumNames(display);
  const head = [
    ...keys,
    ...sums,
    ...(before === undefined ? [] : sums.map((each) => `previous_${each}`)),
  ];
  const rows = groups.map((group) => {
    const shown = Object.values(showKey(group, by, names));
    const sum = Object.values(showSum(group.sum, display));
    const previous =
      before === undefined ? [] : Object.values(showSum(group.previous ?? EMPTY_SUM, display));
    return [...shown, ...sum, ...previous];
  });
  return [head, ...rows.map((row) => row.map(cellOf))];
}

export function cellOf(value: Json | undefined): string | number | null {
  return typeof value === "string" || typeof value === "number" ? value : null;
}

function showSpan({ from, to }: TimeSpan): { readonly from: number; readonly to: number } {
  return { from: from / 1_000, to: to / 1_000 };
}

const NAMED = ["key", "user", "team", "group"] as const;

function fieldsOf(dimension: UsageDimension): readonly string[] {
  const isNamed = NAMED.some((each) => each === dimension);
  return isNamed ? [`${dimension}_id`, `${dimension}_name`] : [dimension];
}

function showKey(
  { of }: ComparedGroup,
  by: readonly UsageDimension[],
  names: UsageNames,
): JsonObject {
  const shown: Record<string, Json> = {};
  for (const each of by) {
    const value = of[each] ?? null;
    const named = NAMED.find((name) => name === each);
    const [field = each, nameField] = fieldsOf(each);
    shown[field] = showValue(each, value);
    if (named === undefined || nameField === undefined) continue;
    shown[nameField] = (typeof value === "number" ? names[named].get(value) : undefined) ?? null;
  }
  return shown;
}

function timeOf({ of }: ComparedGroup): number {
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

export function showDisplay(display: DisplayCurrency): JsonObject {
  return { currency: display.code, rate: rateOf(display) };
}

/** Columns of sums in a table: the one in another currency has its name. */
export function sumNames(display: DisplayCurrency | undefined): readonly string[] {
  const names = Object.keys(showSum(EMPTY_SUM));
  return display === undefined ? names : [...names, `cost_${display.code.toLowerCase()}`];
}

export function showSum(sum: UsageSum, display?: DisplayCurrency): JsonObject {
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
    ...(display && { cost_display: inCurrency(sum.cost, display) }),
  };
}
