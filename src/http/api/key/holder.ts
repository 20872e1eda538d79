import type { ApiKey } from "#core/key.ts";
import type { RateLimitStatus } from "#core/limits.ts";
import { MAX_NANO_USD, nanoUsd } from "#core/money.ts";
import type { JsonObject } from "#lib/json.ts";
import { buildError } from "#styles/text/chat/error.ts";
import type { HolderDeps } from "#http/deps/holders.ts";
import { json } from "#http/json.ts";
import { requireKey } from "#http/require-key.ts";
import type { Endpoint, Exchange } from "#http/routes.ts";
import { throttle } from "#http/throttle.ts";
import { showUsd } from "../usd.ts";
import { findFunds, scarcestOf, type Fund } from "./key-funds.ts";
import { findUse, type KeyUse } from "./key-use.ts";

/** A key as its holder sees it. */
export interface KeyState {
  readonly key: ApiKey;
  readonly rates: RateLimitStatus;
  readonly funds: readonly Fund[];
  /** The limit of spending with the least left. */
  readonly scarcest: Fund | undefined;
  readonly use: KeyUse;
}

/** The common part of routes for a key's holder. Keys for any family may call them. */
export const HOLDER_ROUTE = {
  tag: "Own key",
  method: "GET",
  access: "key",
  renderError: buildError,
} as const satisfies Partial<Endpoint<HolderDeps>>;

/** Counts the request as model lists are counted, and reads the key's state. */
export async function readKeyState(exchange: Exchange, deps: HolderDeps): Promise<KeyState> {
  const rates = await throttle(exchange, deps);
  const key = requireKey(exchange);
  const [funds, use] = await Promise.all([findFunds(key, deps), findUse(key, deps)]);
  return { key, rates, funds, scarcest: scarcestOf(funds), use };
}

/**
 * The amount that one-api writes for a key without a limit (`controller/billing.go` of
 * songquanpeng/one-api): its clients know no other sign.
 */
const UNLIMITED_USD = 100_000_000;

/** US dollars that the key can have spent in the end: the spent and the remaining amount. */
export function totalLimit({ scarcest, use }: Pick<KeyState, "scarcest" | "use">): number {
  if (scarcest === undefined) return UNLIMITED_USD;
  return showUsd(nanoUsd(Math.min(use.total + scarcest.left, MAX_NANO_USD)));
}

/** Amounts that are true for a moment only. */
export function answerHolder(body: JsonObject, { id }: Exchange): Response {
  const response = json(body, id);
  response.headers.set("cache-control", "no-store");
  return response;
}
