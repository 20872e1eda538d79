import { newId } from "./ids.ts";

/** Headers of every response, including errors. */
export function standardHeaders(nowMs: number): Readonly<Record<string, string>> {
  const reset = `${new Date(nowMs + 60_000).toISOString().slice(0, 19)}Z`;
  const limits = LIMITS.flatMap(([name, limit, remaining]) => [
    [`anthropic-ratelimit-${name}-limit`, String(limit)],
    [`anthropic-ratelimit-${name}-remaining`, String(remaining)],
    [`anthropic-ratelimit-${name}-reset`, reset],
  ]);
  return {
    ...Object.fromEntries(limits),
    "request-id": newId("req"),
    "anthropic-organization-id": "00000000-0000-4000-8000-000000000000",
  };
}

const LIMITS = [
  ["requests", 4_000, 3_999],
  ["input-tokens", 2_000_000, 1_999_000],
  ["output-tokens", 400_000, 399_000],
  ["tokens", 2_400_000, 2_398_000],
] as const;
