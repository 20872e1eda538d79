import type { RateLimits } from "#core/limits.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";

/** Empty without limits. */
export function limitFields(
  name: string,
  limits: RateLimits | undefined,
): Readonly<Record<string, JsonObject>> {
  if (limits === undefined) return {};
  const { requestsPerMinute: rpm, tokensPerMinute: tpm, concurrency } = limits;
  return { [name]: defined({ rpm, tpm, concurrency }) };
}
