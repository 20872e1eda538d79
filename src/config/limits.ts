import type { RateLimits } from "#core/limits.ts";
import { type Form, openForm } from "./form.ts";
import type { Report } from "./mistakes.ts";
import { wholeNumber } from "./parsers.ts";

/** The maximum follows from the resolution of the counters. */
export const requestsPerMinute = wholeNumber(1, 1_000_000);
export const tokensPerMinute = wholeNumber(1, 100_000_000);
export const callsAtOnce = wholeNumber(1, 1_000_000);

const PACE = ["rpm", "tpm"];

/**
 * `limits: { rpm, tpm, concurrency }` of an entry; `concurrency` is only
 * allowed for some kinds.
 */
export function readLimits(
  entry: Form,
  report: Report,
  { concurrency: isAllowed = false } = {},
): RateLimits | undefined {
  const node = entry.find("limits");
  const names = isAllowed ? [...PACE, "concurrency"] : PACE;
  const form = node && openForm(node, names, report);
  if (form === undefined) return undefined;
  if (!names.some((name) => form.find(name) !== undefined)) {
    report(form.place, `has no limit. Set ${names.join(", ")}, or leave it out.`);
  }
  const rpm = form.optional("rpm", requestsPerMinute);
  const tpm = form.optional("tpm", tokensPerMinute);
  const concurrency = isAllowed ? form.optional("concurrency", callsAtOnce) : undefined;
  return limitsOf(rpm, tpm, concurrency);
}

export function limitsOf(
  rpm: number | undefined,
  tpm: number | undefined,
  concurrency: number | undefined,
): RateLimits | undefined {
  if (rpm === undefined && tpm === undefined && concurrency === undefined) return undefined;
  return {
    ...(rpm === undefined ? {} : { requestsPerMinute: rpm }),
    ...(tpm === undefined ? {} : { tokensPerMinute: tpm }),
    ...(concurrency === undefined ? {} : { concurrency }),
  };
}
