import type { Generated, Selectable } from "kysely";
import { z } from "zod";
import type { AttemptRecord, CallOutcome, CallRecord, CallTags } from "#core/call.ts";
import { FAULTS, type FaultCode } from "#core/error.ts";
import type { Family } from "#core/family.ts";
import { PERIODS } from "#core/key.ts";
import { DIMENSIONS } from "#core/limits.ts";
import { nanoUsd, type NanoUsd, type Rates } from "#core/money.ts";
import type { ServedAs } from "#core/price-condition.ts";
import type { Usage } from "#core/usage.ts";
import { defined } from "#lib/values.ts";
import { text, textOrNull, whole, type Columns, type Value, type Values } from "./columns.ts";
import { readChargedBy, writeChargedBy, writeRates, type ChargedBy } from "./rates.ts";

/** The journal: one row per finished call. */
export interface CallsTable {
  /** Sequence number by end of call, for paging. */
  seq: Generated<number>;
  id: string;
  at: number;
  user_id: number;
  key_id: number;
  model: string;
  upstream_model: string | null;
  channel: string | null;
  provider: string | null;
  style: string;
  is_stream: number;
  outcome: CallOutcome;
  fault: FaultCode | null;
  input_tokens: number;
  cached_input_tokens: number;
  cache_write_tokens: number;
  audio_input_tokens: number;
  output_tokens: number;
  reasoning_tokens: number;
  audio_output_tokens: number;
  is_estimated: number;
  cost: NanoUsd;
  first_byte_ms: number | null;
  duration_ms: number;
  /** JSON of the `AttemptRecord`s. */
  attempts: string;
  /** JSON array of field names. */
  lost: string;
  long_cache_write_tokens: number | null;
  /** JSON of the `Rates` it was charged by. */
  rates: string | null;
  image_input_tokens: Generated<number>;
  image_output_tokens: Generated<number>;
  images: Generated<number>;
  /** Length of audio or video; `duration_ms` is the duration of the call. */
  media_ms: Generated<number>;
  characters: Generated<number>;
  searches: Generated<number>;
  grade: string | null;
  /** 1 if the price of the model that answered was unknown. */
  is_unpriced: Generated<number>;
  session_id: string | null;
  agent_id: string | null;
  parent_agent_id: string | null;
  reference_images: Generated<number>;
  /** The endpoint family. */
  endpoint: Family | null;
  /** Of the user when the call ended. */
  team_id: number | null;
  group_id: number | null;
  /** Free tags, each between line breaks: `\nproject=x\nagent=y\n`. */
  tags: string | null;
  /** Channels on which an attempt failed, written like the tags. */
  failed_channels: string | null;
  /** JSON of the `ExceededLimit`. */
  refused_by: string | null;
}

/** The columns that every call fills. */
const USUAL_COLUMNS = {
  id: "text",
  at: "bigint",
  user_id: "bigint",
  key_id: "bigint",
  model: "text",
  upstream_model: "text",
  channel: "text",
  provider: "text",
  style: "text",
  is_stream: "bigint",
  outcome: "text",
  fault: "text",
  input_tokens: "bigint",
  cached_input_tokens: "bigint",
  cache_write_tokens: "bigint",
  audio_input_tokens: "bigint",
  output_tokens: "bigint",
  reasoning_tokens: "bigint",
  audio_output_tokens: "bigint",
  is_estimated: "bigint",
  cost: "bigint",
  first_byte_ms: "bigint",
  duration_ms: "bigint",
  attempts: "text",
  lost: "text",
  rates: "text",
  endpoint: "text",
  team_id: "bigint",
  group_id: "bigint",
} as const satisfies Partial<Columns<CallsTable>>;

export const USUAL_CALL_COLUMNS: Columns<Pick<CallsTable, keyof typeof USUAL_COLUMNS>> =
  USUAL_COLUMNS;

/** The columns that have their default in the rows of most calls. */
const RARE_COLUMNS: Columns<Omit<CallsTable, "seq" | keyof typeof USUAL_COLUMNS>> = {
  long_cache_write_tokens: "bigint",
  image_input_tokens: "bigint",
  image_output_tokens: "bigint",
  images: "bigint",
  media_ms: "bigint",
  characters: "bigint",
  searches: "bigint",
  grade: "text",
  is_unpriced: "bigint",
  session_id: "text",
  agent_id: "text",
  parent_agent_id: "text",
  reference_images: "bigint",
  tags: "text",
  failed_channels: "text",
  refused_by: "text",
};

export const CALL_COLUMNS: Columns<Omit<CallsTable, "seq">> = {
  ...USUAL_COLUMNS,
  ...RARE_COLUMNS,
};

/** The values of a call in the order of `CALL_COLUMNS`. */
export function callValues(record: CallRecord): Values {
  const { usage } = record;
  const values = usualValues(record);
  values.push(
    usage.longCacheWriteTokens === undefined ? null : whole(usage.longCacheWriteTokens),
    whole(usage.imageInputTokens ?? 0),
    whole(usage.imageOutputTokens ?? 0),
    whole(usage.images ?? 0),
    whole(usage.durationMs ?? 0),
    whole(usage.characters ?? 0),
    whole(usage.searches ?? 0),
    usage.grade === undefined ? null : text(usage.grade),
    record.isUnpriced === true ? 1 : 0,
    tag(record.tags?.session),
    tag(record.tags?.agent),
    tag(record.tags?.parentAgent),
    whole(usage.referenceImages ?? 0),
    writeList(record.tags?.free),
    failedChannels(record.attempts),
    record.refusedBy === undefined ? null : text(JSON.stringify(record.refusedBy)),
  );
  return values;
}

/**
 * The values in the order of `USUAL_CALL_COLUMNS`. Undefined if another column differs from its
 * default.
 */
export function usualCallValues(record: CallRecord): Values | undefined {
  return isUsual(record) ? usualValues(record) : undefined;
}

function isUsual({ usage, isUnpriced, tags, attempts, refusedBy }: CallRecord): boolean {
  if (isUnpriced === true || tags !== undefined || refusedBy !== undefined) return false;
  if (hasFailed(attempts)) return false;
  return (
    usage.longCacheWriteTokens === undefined &&
    usage.imageInputTokens === undefined &&
    usage.imageOutputTokens === undefined &&
    usage.images === undefined &&
    usage.durationMs === undefined &&
    usage.characters === undefined &&
    usage.searches === undefined &&
    usage.grade === undefined &&
    usage.referenceImages === undefined
  );
}

function usualValues(record: CallRecord): Value[] {
  const { usage } = record;
  return [
    record.id,
    whole(record.at),
    record.userId,
    record.keyId,
    text(record.model),
    textOrNull(record.upstreamModel),
    textOrNull(record.channel),
    textOrNull(record.provider),
    text(record.style),
    record.isStream ? 1 : 0,
    record.outcome,
    record.fault,
    whole(usage.inputTokens),
    whole(usage.cachedInputTokens),
    whole(usage.cacheWriteTokens),
    whole(usage.audioInputTokens),
    whole(usage.outputTokens),
    whole(usage.reasoningTokens),
    whole(usage.audioOutputTokens),
    usage.isEstimated ? 1 : 0,
    record.cost,
    record.firstByteMs === null ? null : whole(record.firstByteMs),
    whole(record.durationMs),
    JSON.stringify(record.attempts),
    record.lost.length === 0 ? "[]" : JSON.stringify(record.lost),
    chargedByText(record),
    record.endpoint ?? null,
    record.teamId ?? null,
    record.groupId ?? null,
  ];
}

/** The characters that a list may not hold are in no tag and no channel's name. */
export function writeList(items: readonly string[] | undefined): string | null {
  return items === undefined ? null : text(`\n${items.join("\n")}\n`);
}

export function readList(written: string | null): readonly string[] {
  return written === null ? [] : written.split("\n").filter((each) => each !== "");
}

function hasFailed(attempts: readonly AttemptRecord[]): boolean {
  for (const { fault } of attempts) if (fault !== null) return true;
  return false;
}

function failedChannels(attempts: readonly AttemptRecord[]): string | null {
  if (!hasFailed(attempts)) return null;
  const failed = new Set<string>();
  for (const { channel, fault } of attempts) if (fault !== null) failed.add(channel);
  return writeList([...failed]);
}

function tag(value: string | undefined): string | null {
  return value === undefined ? null : text(value);
}

function toTags(row: Selectable<CallsTable>): CallTags {
  return defined({
    session: row.session_id ?? undefined,
    agent: row.agent_id ?? undefined,
    parentAgent: row.parent_agent_id ?? undefined,
    free: row.tags === null ? undefined : readList(row.tags),
  });
}

export function toCallRecord(row: Selectable<CallsTable>): CallRecord {
  const chargedBy = row.rates === null ? undefined : readChargedBy(row.rates);
  return {
    id: row.id,
    at: row.at,
    userId: row.user_id,
    keyId: row.key_id,
    model: row.model,
    upstreamModel: row.upstream_model,
    channel: row.channel,
    provider: row.provider,
    style: row.style,
    ...defined({
      endpoint: row.endpoint ?? undefined,
      teamId: row.team_id ?? undefined,
      groupId: row.group_id ?? undefined,
    }),
    isStream: row.is_stream === 1,
    outcome: row.outcome,
    fault: row.fault,
    usage: { ...toUsage(row), ...(chargedBy?.served && { served: chargedBy.served }) },
    cost: nanoUsd(row.cost),
    ...(row.is_unpriced === 1 ? { isUnpriced: true } : {}),
    firstByteMs: row.first_byte_ms,
    durationMs: row.duration_ms,
    attempts: attempts.parse(JSON.parse(row.attempts)),
    lost: lost.parse(JSON.parse(row.lost)),
    ...ratesAndCharges(chargedBy),
    ...(row.session_id === null &&
    row.agent_id === null &&
    row.parent_agent_id === null &&
    row.tags === null
      ? {}
      : { tags: toTags(row) }),
    ...(row.refused_by === null ? {} : { refusedBy: refusedBy.parse(JSON.parse(row.refused_by)) }),
  };
}

function ratesAndCharges(chargedBy: ChargedBy | undefined): Pick<CallRecord, "rates" | "charges"> {
  if (chargedBy === undefined) return {};
  const { served: _served, charges, ...rates } = chargedBy;
  return { rates, ...(charges && { charges }) };
}

/** Counts that few calls have are omitted if they are 0. */
function toUsage(row: Selectable<CallsTable>): Usage {
  return {
    inputTokens: row.input_tokens,
    cachedInputTokens: row.cached_input_tokens,
    cacheWriteTokens: row.cache_write_tokens,
    audioInputTokens: row.audio_input_tokens,
    outputTokens: row.output_tokens,
    reasoningTokens: row.reasoning_tokens,
    audioOutputTokens: row.audio_output_tokens,
    ...defined({
      longCacheWriteTokens: row.long_cache_write_tokens ?? undefined,
      imageInputTokens: row.image_input_tokens || undefined,
      imageOutputTokens: row.image_output_tokens || undefined,
      images: row.images || undefined,
      referenceImages: row.reference_images || undefined,
      durationMs: row.media_ms || undefined,
      characters: row.characters || undefined,
      searches: row.searches || undefined,
      grade: row.grade ?? undefined,
    }),
    isEstimated: row.is_estimated === 1,
  };
}

/**
 * Few distinct values, each written for very many calls. The source of the
 * price is not written.
 */
const ratesTexts = new WeakMap<Rates, string>();

function chargedByText({ rates, charges, usage: { served } }: CallRecord): string | null {
  if (rates === undefined) return null;
  if (charges !== undefined) {
    return writeChargedBy({ ...rates, ...defined({ served, charges: [...charges] }) });
  }
  const text = ratesText(rates);
  return served === undefined ? text : `${text.slice(0, -1)},"served":${servedText(served)}}`;
}

/** The members in the order of `writeChargedBy`. */
function servedText({ serviceTier, speed, region }: ServedAs): string {
  return JSON.stringify({ serviceTier, speed, region });
}

function ratesText(rates: Rates): string {
  let text = ratesTexts.get(rates);
  if (text === undefined) {
    text = writeRates(rates);
    ratesTexts.set(rates, text);
  }
  return text;
}

const attempts = z.array(
  z.object({
    channel: z.string(),
    credential: z.string(),
    fault: z.custom<FaultCode>((code) => typeof code === "string" && code in FAULTS).nullable(),
    status: z.number().nullable(),
    code: z.string().exactOptional(),
    type: z.string().exactOptional(),
    reason: z.string().exactOptional(),
    startMs: z.number().exactOptional(),
    connectMs: z.number().exactOptional(),
    durationMs: z.number(),
  }),
);

const lost = z.array(z.string());

const refusedBy = z.object({
  of: z.string(),
  by: z.enum([...DIMENSIONS, ...PERIODS, "total"]),
  amount: z.number().exactOptional(),
});
