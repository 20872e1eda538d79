import { hash } from "../engine/random.ts";
import type { CacheTtl } from "./cache-control.ts";
import type { Segment } from "./prompt-segments.ts";

/** Remembers the prompts up to the places that callers have marked, for as long as they asked. */
interface PromptCache {
  /** How much of the prompt was known, and how much of it is remembered from now on. */
  visit(model: CachedModel, segments: readonly Segment[]): CacheVisit;
}

interface CachedModel {
  readonly id: string;
  /** Shorter beginnings are not kept. */
  readonly minCacheTokens: number;
}

export interface CacheVisit {
  readonly readTokens: number;
  readonly written: Readonly<Record<CacheTtl, number>>;
}

export function promptCache(now: () => number): PromptCache {
  /** By the hash of the beginning: until when it is kept. */
  const kept = new Map<string, { ttl: CacheTtl; until: number }>();

  function visit(model: CachedModel, segments: readonly Segment[]): CacheVisit {
    const marks = segments.flatMap(({ cache }, index) =>
      cache === undefined ? [] : [{ index, ttl: cache }],
    );
    if (marks.length === 0) return EMPTY;
    const starts = beginnings(model.id, segments);
    const isLong = (index: number) => (starts[index]?.tokens ?? 0) >= model.minCacheTokens;

    const known = starts.findLastIndex(
      ({ key }, index) => isLong(index) && isNear(index, marks) && isAlive(key),
    );
    let done = starts[known]?.tokens ?? 0;
    const readTokens = done;
    refresh(starts[known]?.key);

    const written = { "5m": 0, "1h": 0 };
    for (const { index, ttl } of marks) {
      const start = starts[index];
      if (start === undefined || index <= known || !isLong(index)) continue;
      written[ttl] += start.tokens - done;
      done = start.tokens;
      keep(start.key, ttl);
    }
    return { readTokens, written };
  }

  function isAlive(key: string): boolean {
    return (kept.get(key)?.until ?? 0) > now();
  }

  /** Each read extends its lifetime. */
  function refresh(key: string | undefined): void {
    const entry = key === undefined ? undefined : kept.get(key);
    if (entry !== undefined) entry.until = now() + LIFE_MS[entry.ttl];
  }

  function keep(key: string, ttl: CacheTtl): void {
    kept.set(key, { ttl, until: now() + LIFE_MS[ttl] });
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
  }

  return { visit };
}

const EMPTY: CacheVisit = { readTokens: 0, written: { "5m": 0, "1h": 0 } };
const LIFE_MS: Readonly<Record<CacheTtl, number>> = { "5m": 300_000, "1h": 3_600_000 };
const MAX_KEPT = 20_000;
/** How many blocks before a mark are looked at for something known. */
const LOOK_BACK = 20;

function isNear(index: number, marks: readonly { readonly index: number }[]): boolean {
  return marks.some((mark) => index <= mark.index && index > mark.index - LOOK_BACK);
}

function beginnings(model: string, segments: readonly Segment[]) {
  let sum = hash(model);
  let tokens = 0;
  return segments.map((segment, index) => {
    sum = hash(`${segment.text}\n`, sum);
    tokens += segment.tokens;
    return { key: `${model} ${index} ${tokens} ${sum}`, tokens };
  });
}
