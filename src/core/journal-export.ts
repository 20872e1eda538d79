import type { CallRecord, JournalEntry } from "./call.ts";

/** Numbers of the journal that are exported together. */
export interface ExportRange {
  /** The first and the last number, both inclusive. */
  readonly first: number;
  readonly last: number;
  /** Start of the hour in which its first call ended, Unix ms. */
  readonly hour: number;
}

/** How the journal is divided for a target. */
export interface RangeRule {
  readonly maxNumbers: number;
  /** A range holds calls of one hour that has ended. */
  readonly isByHour: boolean;
}

/** Reads the journal for a target, one gateway at a time, each call at least once. */
export interface JournalExports {
  /**
   * The next range, which stays the same until it is finished, also after a
   * crash. Undefined if there is none yet, or if another gateway exports.
   */
  next(target: string, rule: RangeRule): Promise<ExportRange | undefined>;
  /** At most `limit` calls of the range with numbers above `after`, in their order. */
  read(range: ExportRange, after: number, limit: number): Promise<readonly JournalEntry[]>;
  finish(target: string, range: ExportRange): Promise<void>;
  /** The calls that the target does not have yet. */
  lag(target: string): Promise<ExportLag>;
}

export interface ExportLag {
  /** Numbers of the journal, which may have gaps. */
  readonly calls: number;
  /** Time since the end of the first of these calls; 0 without one. */
  readonly ms: number;
}

/** A column store that takes calls of the journal. */
export interface JournalTarget {
  /** Its progress is kept under this name. */
  readonly name: string;
  readonly rule: RangeRule;
  /** May be called again with the same range, with the same effect. */
  write(range: ExportRange, entries: AsyncIterable<readonly JournalEntry[]>): Promise<void>;
}

type Kind = "text" | "name" | "integer" | "time" | "flag";
type Value = string | number | boolean | null;

export interface ExportColumn {
  readonly name: string;
  /** `name`: a text with few different values. `time`: Unix ms. */
  readonly kind: Kind;
  readonly isNullable: boolean;
  read(entry: JournalEntry): Value;
}

/** The columns of an exported call. Names never change their meaning; new ones may be added. */
export const EXPORT_COLUMNS: readonly ExportColumn[] = [
  column("id", "text", ({ call }) => call.id),
  column("seq", "integer", ({ seq }) => seq),
  column("at", "time", ({ call }) => call.at),
  column("user_id", "integer", ({ call }) => call.userId),
  column("key_id", "integer", ({ call }) => call.keyId),
  optional("team_id", "integer", ({ call }) => call.teamId),
  optional("group_id", "integer", ({ call }) => call.groupId),
  column("model", "name", ({ call }) => call.model),
  optional("upstream_model", "name", ({ call }) => call.upstreamModel),
  optional("channel", "name", ({ call }) => call.channel),
  optional("provider", "name", ({ call }) => call.provider),
  column("style", "name", ({ call }) => call.style),
  optional("endpoint", "name", ({ call }) => call.endpoint),
  column("is_stream", "flag", ({ call }) => call.isStream),
  column("outcome", "name", ({ call }) => call.outcome),
  optional("fault", "name", ({ call }) => call.fault),
  column("input_tokens", "integer", ({ call }) => call.usage.inputTokens),
  column("cached_input_tokens", "integer", ({ call }) => call.usage.cachedInputTokens),
  column("cache_write_tokens", "integer", ({ call }) => call.usage.cacheWriteTokens),
  column("audio_input_tokens", "integer", ({ call }) => call.usage.audioInputTokens),
  column("image_input_tokens", "integer", ({ call }) => call.usage.imageInputTokens ?? 0),
  column("output_tokens", "integer", ({ call }) => call.usage.outputTokens),
  column("reasoning_tokens", "integer", ({ call }) => call.usage.reasoningTokens),
  column("audio_output_tokens", "integer", ({ call }) => call.usage.audioOutputTokens),
  column("image_output_tokens", "integer", ({ call }) => call.usage.imageOutputTokens ?? 0),
  column("images", "integer", ({ call }) => call.usage.images ?? 0),
  column("reference_images", "integer", ({ call }) => call.usage.referenceImages ?? 0),
  column("media_ms", "integer", ({ call }) => call.usage.durationMs ?? 0),
  column("characters", "integer", ({ call }) => call.usage.characters ?? 0),
  column("searches", "integer", ({ call }) => call.usage.searches ?? 0),
  column("is_estimated", "flag", ({ call }) => call.usage.isEstimated),
  column("cost_nano_usd", "integer", ({ call }) => call.cost),
  column("is_unpriced", "flag", ({ call }) => call.isUnpriced === true),
  optional("first_byte_ms", "integer", ({ call }) => call.firstByteMs),
  column("duration_ms", "integer", ({ call }) => call.durationMs),
  optional("session_id", "text", ({ call }) => call.tags?.session),
  optional("agent_id", "text", ({ call }) => call.tags?.agent),
  optional("parent_agent_id", "text", ({ call }) => call.tags?.parentAgent),
  column("tags", "text", ({ call }) => JSON.stringify(call.tags?.free ?? [])),
  column("attempts", "text", ({ call }) => JSON.stringify(call.attempts)),
  column("lost", "text", ({ call }) => JSON.stringify(call.lost)),
  column("failed_channels", "text", ({ call }) => JSON.stringify(failedChannels(call))),
  optional("long_cache_write_tokens", "integer", ({ call }) => call.usage.longCacheWriteTokens),
  optional("grade", "name", ({ call }) => call.usage.grade),
  optional("rates", "text", ({ call }) => ratesText(call)),
  optional("refused_by", "text", ({ call }) => call.refusedBy && JSON.stringify(call.refusedBy)),
];

function failedChannels({ attempts }: CallRecord): readonly string[] {
  const failed = attempts.filter(({ fault }) => fault !== null);
  return [...new Set(failed.map(({ channel }) => channel))];
}

/** In the form of the journal. */
function ratesText({ rates, charges, usage: { served } }: CallRecord): string | undefined {
  return rates && JSON.stringify({ ...rates, served, charges });
}

function column(name: string, kind: Kind, read: (entry: JournalEntry) => Value): ExportColumn {
  return { name, kind, isNullable: false, read };
}

function optional(
  name: string,
  kind: Kind,
  read: (entry: JournalEntry) => Value | undefined,
): ExportColumn {
  return { name, kind, isNullable: true, read: (entry) => read(entry) ?? null };
}
