import type { Balance, ChannelBalance, ChannelBalanceStore } from "#core/channel-balance.ts";
import type { Channel, Credential } from "#core/channel.ts";
import { GatewayError } from "#core/error.ts";
import type { Egress } from "#egress/egress.ts";
import type { Clock } from "#lib/clock.ts";
import { parseJson } from "#lib/json.ts";
import { mapAtMost } from "#lib/map-at-most.ts";
import { findProvider } from "#providers/index.ts";
import { asError } from "./failover/attempt.ts";
import type { Health } from "./failover/health.ts";
import { addressOf, upstreamTerms } from "./failover/upstream-terms.ts";

interface ChannelBalancesDeps {
  readonly egress: Pick<Egress, "send">;
  readonly store: ChannelBalanceStore;
  readonly health: Pick<Health, "witness">;
  readonly clock: Pick<Clock, "now">;
  /** A balance fell below its channel's threshold. */
  readonly onLow: (balance: ChannelBalance) => void;
}

const LONGEST_MS = 30_000;
const KEPT_MS = 2_000;
/** A balance that was read within this time is not asked for again. */
export const FRESH_MS = 30_000;
const LEAST_INTERVAL_MS = 5 * 60_000;
const AT_ONCE = 4;
const FORGET_MS = 30 * 24 * 3_600_000;

/** The balances of channels at their vendors. */
export class ChannelBalances {
  readonly #deps: ChannelBalancesDeps;
  #listed: { readonly until: number; readonly all: ReadonlyMap<string, ChannelBalance> } = {
    until: -Infinity,
    all: new Map(),
  };

  constructor(deps: ChannelBalancesDeps) {
    this.#deps = deps;
  }

  /** The latest known balance, which another gateway may have read. */
  async latest(channel: string): Promise<ChannelBalance | undefined> {
    const now = this.#deps.clock.now();
    if (this.#listed.until <= now) {
      const all = await this.#deps.store.list();
      this.#listed = {
        until: now + KEPT_MS,
        all: new Map(all.map((each) => [each.channel, each])),
      };
    }
    return this.#listed.all.get(channel);
  }

  /** Asks the vendor with each credential, and keeps the lowest balance. */
  async read(channel: Channel, signal: AbortSignal): Promise<ChannelBalance> {
    const before = await this.latest(channel.name);
    const limited = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_MS)]);
    const { credentials } = channel;
    const found = await mapAtMost(
      credentials.length === 0 ? [undefined] : credentials,
      AT_ONCE,
      (each) =>
        this.#deps.health.witness(channel, each, "balance", () =>
          this.#ask(channel, each, limited),
        ),
    );
    const lowest = found.reduce((one, other) => (other.amount < one.amount ? other : one));
    const balance = { ...lowest, channel: channel.name, at: this.#deps.clock.now() };
    await this.#deps.store.put(balance);
    this.#listed = { until: -Infinity, all: new Map() };
    const wasLow = before !== undefined && isLow(before, channel);
    if (!wasLow && isLow(balance, channel)) this.#deps.onLow(balance);
    return balance;
  }

  /** Reads the balances that are older than the interval; the next run reads one that fails. */
  async refresh(
    channels: readonly Channel[],
    intervalMs: number,
    onError: (channel: Channel, cause: unknown) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const now = this.#deps.clock.now();
    const due: Channel[] = [];
    for (const channel of channels) {
      if (!hasBalanceEndpoint(channel)) continue;
      const latest = await this.latest(channel.name);
      const age = now - (latest?.at ?? -Infinity);
      if (age >= Math.max(intervalMs, LEAST_INTERVAL_MS)) due.push(channel);
    }
    await mapAtMost(due, AT_ONCE, async (channel) => {
      try {
        await this.read(channel, signal);
      } catch (cause) {
        if (!signal.aborted) onError(channel, cause);
      }
    });
    await this.#deps.store.prune(now - FORGET_MS);
  }

  async #ask(
    channel: Channel,
    credential: Credential | undefined,
    signal: AbortSignal,
  ): Promise<Balance> {
    const provider = findProvider(channel.provider);
    if (provider?.balance === undefined) throw noEndpoint(channel);
    const url = new URL(provider.balance.path, `${addressOf({ channel, provider })}/`);
    const query = provider.balance.query?.(this.#deps.clock.now()) ?? {};
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    using reply = await this.#deps.egress.send({
      url,
      method: "GET",
      ...upstreamTerms({ channel, provider }, credential, "balance"),
      ...(provider.headers === undefined ? {} : { headers: provider.headers }),
      isStream: false,
      signal,
    });
    if (reply.status !== 200) throw await asError(reply, {});
    const answer = parseJson(new TextDecoder().decode(await reply.readAll()));
    const balance = answer === undefined ? undefined : provider.balance.read(answer, url.hostname);
    if (balance === undefined) throw noBalance();
    return balance;
  }
}

/** Whether the vendor shows balances. */
export function hasBalanceEndpoint({ provider }: Channel): boolean {
  return findProvider(provider)?.balance !== undefined;
}

export function isLow(
  { amount, isUsable }: Balance,
  { lowBalance = 0 }: Pick<Channel, "lowBalance">,
): boolean {
  return !isUsable || amount <= 0 || amount < lowBalance;
}

function noEndpoint({ name, provider }: Channel): GatewayError {
  return new GatewayError(
    "invalid_request",
    `The balance of the channel '${name}' is unknown: '${provider}' does not show balances to API keys.`,
  );
}

function noBalance(): GatewayError {
  return new GatewayError(
    "upstream_failed",
    "The vendor's answer names no balance. A key without a limit of its own may have none.",
  );
}
