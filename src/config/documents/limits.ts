import type { z } from "zod";
import type { RateLimits } from "#core/limits.ts";
import { defined } from "#lib/values.ts";
import { wholeNumber, type Parser } from "../parsers.ts";
import { fields, notEmpty } from "./fields.ts";

/** The maximum follows from the resolution of the counters. */
export const requestsPerMinute = wholeNumber(1, 1_000_000);
export const tokensPerMinute = wholeNumber(1, 100_000_000);
export const callsAtOnce = wholeNumber(1, 1_000_000);

const RPM = "Requests per minute.";
const TPM = "Tokens per minute.";
const CONCURRENCY = "Concurrent calls.";

/** Rates that a channel or a model may have. */
export const PACE = limits(
  fields({
    rpm: requestsPerMinute.schema.describe(RPM).optional(),
    tpm: tokensPerMinute.schema.describe(TPM).optional(),
  }),
);

/** The limits of a key. */
export const KEY_LIMITS = limits(allLimits(requestsPerMinute, tokensPerMinute, callsAtOnce));

const bound = wholeNumber(1, 1_000_000_000);

/** The limits of a group. */
export const GROUP_LIMITS = limits(allLimits(bound, bound, bound));

function allLimits(rpm: Parser<number>, tpm: Parser<number>, concurrency: Parser<number>) {
  return fields({
    rpm: rpm.schema.describe(RPM).optional(),
    tpm: tpm.schema.describe(TPM).optional(),
    concurrency: concurrency.schema.describe(CONCURRENCY).optional(),
  });
}

interface Limits {
  readonly rpm?: number | undefined;
  readonly tpm?: number | undefined;
  readonly concurrency?: number | undefined;
}

function limits<S extends z.ZodType<Limits> & { readonly shape: object }>(schema: S) {
  const names = Object.keys(schema.shape);
  return schema
    .check(notEmpty(`has no limit. Set ${names.join(", ")}, or leave it out.`))
    .transform(limitsOf);
}

export function limitsOf({ rpm, tpm, concurrency }: Limits): RateLimits | undefined {
  const said = defined({ requestsPerMinute: rpm, tokensPerMinute: tpm, concurrency });
  return Object.keys(said).length === 0 ? undefined : said;
}
