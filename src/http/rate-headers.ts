import type { Allowance, RateLimitStatus } from "#core/limits.ts";

/**
 * The caller's remaining limits in headers: the names that most clients read, the IETF draft
 * (draft-ietf-httpapi-ratelimit-headers-10, one policy for each limit), and the style's own names.
 * `now`: Unix ms.
 */
export function rateHeaders(
  { requests, tokens }: RateLimitStatus,
  stylePrefix: string | undefined,
  now: number,
): Readonly<Record<string, string>> {
  const kinds = [
    ["requests", requests],
    ["tokens", tokens],
  ] as const;
  const headers: Record<string, string> = {};
  const policies: string[] = [];
  const services: string[] = [];
  for (const [kind, allowance] of kinds) {
    if (allowance === undefined) continue;
    const { limit, remaining, resetMs } = allowance;
    headers[`x-ratelimit-limit-${kind}`] = String(limit);
    headers[`x-ratelimit-remaining-${kind}`] = String(remaining);
    headers[`x-ratelimit-reset-${kind}`] = duration(resetMs);
    policies.push(`"${kind}";q=${limit};w=60${kind === "requests" ? "" : `;qu="${kind}"`}`);
    services.push(`"${kind}";r=${remaining};t=${Math.ceil(resetMs / 1_000)}`);
    if (stylePrefix !== undefined) Object.assign(headers, own(stylePrefix, kind, allowance, now));
  }
  if (policies.length > 0) {
    headers["ratelimit-policy"] = policies.join(", ");
    headers["ratelimit"] = services.join(", ");
  }
  return headers;
}

function own(
  prefix: string,
  kind: string,
  { limit, remaining, resetMs }: Allowance,
  now: number,
): Record<string, string> {
  return {
    [`${prefix}-${kind}-limit`]: String(limit),
    [`${prefix}-${kind}-remaining`]: String(remaining),
    // Rounded up to a second, never early.
    [`${prefix}-${kind}-reset`]: new Date(Math.ceil((now + resetMs) / 1_000) * 1_000)
      .toISOString()
      .replace(".000Z", "Z"),
  };
}

/** `6m0s`, `1.5s`, `20ms`: the format of vendors of the chat style. */
function duration(ms: number): string {
  const whole = Math.ceil(ms);
  if (whole < 1_000) return `${whole}ms`;
  const minutes = Math.floor(whole / 60_000);
  const seconds = (whole % 60_000) / 1_000;
  return minutes === 0 ? `${seconds}s` : `${minutes}m${seconds}s`;
}
