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
  const headers: Record<string, string> = {};
  let policies = "";
  let services = "";
  for (const kind of KINDS) {
    const allowance = kind === "requests" ? requests : tokens;
    if (allowance === undefined) continue;
    const { limit, remaining, resetMs } = allowance;
    const names = NAMES[kind];
    headers[names.limit] = String(limit);
    headers[names.remaining] = String(remaining);
    headers[names.reset] = duration(resetMs);
    const comma = policies === "" ? "" : ", ";
    policies += `${comma}"${kind}";q=${limit};w=60${names.unit}`;
    services += `${comma}"${kind}";r=${remaining};t=${Math.ceil(resetMs / 1_000)}`;
    if (stylePrefix !== undefined) addOwn(headers, stylePrefix, kind, allowance, now);
  }
  if (policies !== "") {
    headers["ratelimit-policy"] = policies;
    headers["ratelimit"] = services;
  }
  return headers;
}

const KINDS = ["requests", "tokens"] as const;

const NAMES = {
  requests: {
    limit: "x-ratelimit-limit-requests",
    remaining: "x-ratelimit-remaining-requests",
    reset: "x-ratelimit-reset-requests",
    unit: "",
  },
  tokens: {
    limit: "x-ratelimit-limit-tokens",
    remaining: "x-ratelimit-remaining-tokens",
    reset: "x-ratelimit-reset-tokens",
    unit: ';qu="tokens"',
  },
};

function addOwn(
  headers: Record<string, string>,
  prefix: string,
  kind: string,
  { limit, remaining, resetMs }: Allowance,
  now: number,
): void {
  headers[`${prefix}-${kind}-limit`] = String(limit);
  headers[`${prefix}-${kind}-remaining`] = String(remaining);
  // Rounded up to a second, never early.
  headers[`${prefix}-${kind}-reset`] = new Date(Math.ceil((now + resetMs) / 1_000) * 1_000)
    .toISOString()
    .replace(".000Z", "Z");
}

/** `6m0s`, `1.5s`, `20ms`: the format of vendors of the chat style. */
function duration(ms: number): string {
  const whole = Math.ceil(ms);
  if (whole < 1_000) return `${whole}ms`;
  const minutes = Math.floor(whole / 60_000);
  const seconds = (whole % 60_000) / 1_000;
  return minutes === 0 ? `${seconds}s` : `${minutes}m${seconds}s`;
}
