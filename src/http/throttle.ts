import type { RateLimitStatus } from "#core/limits.ts";
import { countRequest, type RateReservationDeps } from "#relay/metering/rate-reservations.ts";
import type { Clock } from "#lib/clock.ts";
import { rateHeaders } from "./rate-headers.ts";
import { requireKey } from "./require-key.ts";
import type { Exchange } from "./routes.ts";

interface ThrottleDeps {
  readonly relay: { readonly admission: Pick<RateReservationDeps, "limiter" | "userLimits"> };
  readonly clock: Clock;
}

/**
 * Counts a request that costs nothing against its key's limits, and returns the remaining allowances;
 * throws `rate_limited`.
 */
export async function throttle(
  exchange: Exchange,
  { relay, clock }: ThrottleDeps,
): Promise<RateLimitStatus> {
  const status = await countRequest(requireKey(exchange), exchange.id, relay.admission);
  exchange.announce(rateHeaders(status, undefined, clock.now()));
  return status;
}
