import type { RateLimits, RateLimitsChange } from "#core/limits.ts";
import type { JsonObject } from "#lib/json.ts";
import { integer, type NumberRule } from "#lib/rules.ts";
import { defined, numberOrNull } from "#lib/values.ts";

const bound: NumberRule = integer(1, 1_000_000_000, "No bound where it is null.");

export const LIMITS = { rpm: bound, tpm: bound, concurrency: bound };
export const SHARED_LIMITS = { shared_rpm: bound, shared_tpm: bound, shared_concurrency: bound };

export function readLimits(body: JsonObject, prefix: "" | "shared_" = ""): RateLimitsChange {
  return defined({
    requestsPerMinute: numberOrNull(body[`${prefix}rpm`]),
    tokensPerMinute: numberOrNull(body[`${prefix}tpm`]),
    concurrency: numberOrNull(body[`${prefix}concurrency`]),
  });
}

export function showLimits(limits: RateLimits = {}, prefix: "" | "shared_" = ""): JsonObject {
  return {
    [`${prefix}rpm`]: limits.requestsPerMinute ?? null,
    [`${prefix}tpm`]: limits.tokensPerMinute ?? null,
    [`${prefix}concurrency`]: limits.concurrency ?? null,
  };
}
