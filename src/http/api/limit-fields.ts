import { z } from "zod";
import type { RateLimits, RateLimitsChange } from "#core/limits.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";

const bound = z.int().min(1).max(1_000_000_000).describe("Null for no limit.").nullish();

export const LIMITS = { rpm: bound, tpm: bound, concurrency: bound };
export const SHARED_LIMITS = { shared_rpm: bound, shared_tpm: bound, shared_concurrency: bound };

type Bound = number | null | undefined;

export function readLimits(body: {
  readonly rpm?: Bound;
  readonly tpm?: Bound;
  readonly concurrency?: Bound;
}): RateLimitsChange {
  return defined({
    requestsPerMinute: body.rpm,
    tokensPerMinute: body.tpm,
    concurrency: body.concurrency,
  });
}

export function readSharedLimits(body: {
  readonly shared_rpm?: Bound;
  readonly shared_tpm?: Bound;
  readonly shared_concurrency?: Bound;
}): RateLimitsChange {
  const { shared_rpm: rpm, shared_tpm: tpm, shared_concurrency: concurrency } = body;
  return readLimits({ rpm, tpm, concurrency });
}

const shownBound = z.int().nullable();

export const SHOWN_LIMITS = { rpm: shownBound, tpm: shownBound, concurrency: shownBound };
export const SHOWN_SHARED_LIMITS = {
  shared_rpm: shownBound,
  shared_tpm: shownBound,
  shared_concurrency: shownBound,
};

export function showLimits(limits: RateLimits = {}, prefix: "" | "shared_" = ""): JsonObject {
  return {
    [`${prefix}rpm`]: limits.requestsPerMinute ?? null,
    [`${prefix}tpm`]: limits.tokensPerMinute ?? null,
    [`${prefix}concurrency`]: limits.concurrency ?? null,
  };
}
