/**
 * Tokens of one call. `inputTokens` and `outputTokens` are totals; the other
 * counts are parts of them, whatever way the vendor reports it.
 */
export interface Usage {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly cacheWriteTokens: number;
  /** Those of `cacheWriteTokens` that are kept for long, at a vendor that has a price for it. */
  readonly longCacheWriteTokens?: number;
  readonly audioInputTokens: number;
  readonly outputTokens: number;
  readonly reasoningTokens: number;
  readonly audioOutputTokens: number;
  /** Pictures made. */
  readonly images?: number;
  /** Milliseconds of audio or video, made or heard. */
  readonly durationMs?: number;
  /** The kind of result that a price tells apart. */
  readonly grade?: string;
  /** Counted here, because the upstream did not say or said something impossible. */
  readonly isEstimated: boolean;
}

export const NO_USAGE: Usage = {
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  audioInputTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  audioOutputTokens: 0,
  isEstimated: false,
};

/** No vendor serves a call anywhere near this many tokens; a larger count is a mistake. */
export const MAX_TOKENS = 100_000_000;

/** A usage from parts an upstream reported: wrong types, negative and absurd counts are refused. */
export function usageOf(
  parts: Partial<Record<keyof Omit<Usage, "isEstimated">, unknown>>,
): Usage | undefined {
  const inputTokens = count(parts.inputTokens);
  const outputTokens = count(parts.outputTokens);
  if (inputTokens === undefined || outputTokens === undefined) return undefined;

  const cachedInputTokens = Math.min(count(parts.cachedInputTokens) ?? 0, inputTokens);
  const cacheWriteTokens = Math.min(
    count(parts.cacheWriteTokens) ?? 0,
    inputTokens - cachedInputTokens,
  );
  const longCacheWriteTokens = Math.min(count(parts.longCacheWriteTokens) ?? 0, cacheWriteTokens);
  return {
    inputTokens,
    cachedInputTokens,
    cacheWriteTokens,
    ...(longCacheWriteTokens > 0 ? { longCacheWriteTokens } : {}),
    audioInputTokens: Math.min(count(parts.audioInputTokens) ?? 0, inputTokens),
    outputTokens,
    reasoningTokens: Math.min(count(parts.reasoningTokens) ?? 0, outputTokens),
    audioOutputTokens: Math.min(count(parts.audioOutputTokens) ?? 0, outputTokens),
    isEstimated: false,
  };
}

export function fitsIn(tokens: number): number {
  return Math.min(Math.max(0, Math.ceil(tokens)), MAX_TOKENS);
}

function count(value: unknown): number | undefined {
  if (typeof value !== "number" || !Number.isInteger(value)) return undefined;
  return value >= 0 && value <= MAX_TOKENS ? value : undefined;
}
