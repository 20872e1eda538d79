import type { ChannelBalance, ChannelBalanceStore } from "#core/channel-balance.ts";
import { sumMinutes, type ChannelMinuteStore, type ChannelSum } from "#core/channel-minute.ts";
import type { ChannelState, ChannelStateObserver, ChannelStateStore } from "#core/channel-state.ts";
import type { Channel } from "#core/channel.ts";
import type { Clock } from "#lib/clock.ts";
import { mapAtMost } from "#lib/map-at-most.ts";
import { isConfigured, type ListedChannel } from "../routing/channel-registry.ts";
import {
  causeToDisable,
  probeDelayMs,
  rulesFor,
  type DisableEvidence,
  type DisableSettings,
} from "./disable-rules.ts";
import type { Health } from "./health.ts";

export interface ChannelWatchDeps {
  readonly registry: { readonly channels: readonly ListedChannel[]; load(): Promise<void> };
  readonly health: Pick<Health, "troubles">;
  readonly minutes: Pick<ChannelMinuteStore, "read">;
  readonly states: ChannelStateStore;
  readonly balances: Pick<ChannelBalanceStore, "list">;
  /** May change while the gateway runs. */
  readonly settings: DisableSettings;
  readonly clock: Pick<Clock, "now">;
  /** Whether a disabled channel works again. */
  probe(channel: Channel, state: ChannelState, signal: AbortSignal): Promise<boolean>;
  readonly observers: readonly ChannelStateObserver[];
}

/** Tests that one gateway makes at the same time. */
const AT_ONCE = 4;
/** A channel that fails again within this time waits longer for its next test. */
const RELAPSE_MS = 3_600_000;
const KEPT_MS = 30 * 24 * 3_600_000;
const MINUTE_MS = 60_000;
const END_OF_TIME = Number.MAX_SAFE_INTEGER;

/**
 * Disables channels by the rules of their owner, and enables them after a successful test. The
 * state is in the database: the gateway that notices first decides, and all follow.
 */
export class ChannelWatch {
  readonly #deps: ChannelWatchDeps;
  #prunedAt = -Infinity;

  constructor(deps: ChannelWatchDeps) {
    this.#deps = deps;
  }

  async run(signal: AbortSignal): Promise<void> {
    const watched = this.#deps.registry.channels.filter(
      (each) => isConfigured(each) && each.source !== "simulated",
    );
    const isAnyDisabled = watched.some(({ disabled }) => disabled !== undefined);
    const ruled = watched.filter((each) => each.disabled === undefined && this.#hasRule(each));
    if (!isAnyDisabled && ruled.length === 0) return;
    const states = new Map(
      (await this.#deps.states.list()).map((each) => [each.channel, each] as const),
    );
    const balances = await this.#balancesFor(ruled);
    let isChanged = false;
    for (const { channel } of ruled) {
      if (await this.#disable(channel, states.get(channel.name), balances)) isChanged = true;
    }
    const due = watched.flatMap(({ channel }) => {
      const state = states.get(channel.name);
      return this.#isDue(state) ? [{ channel, state }] : [];
    });
    const returned = await mapAtMost(due, AT_ONCE, ({ channel, state }) =>
      this.#tryAgain(channel, state, signal),
    );
    if (isChanged || returned.includes(true)) await this.#deps.registry.load();
    await this.#prune(watched);
  }

  /** At once, for a user. False if the channel is not disabled by the gateway. */
  async enable(channel: string, by: string): Promise<boolean> {
    const { states, registry, clock } = this.#deps;
    const isDone = await states.enable(channel, clock.now());
    if (!isDone) return false;
    await registry.load();
    for (const each of this.#deps.observers) each.onEnabled(channel, by);
    return true;
  }

  #hasRule({ channel }: ListedChannel): boolean {
    const { refused, failingShare, noBalance } = rulesFor(channel, this.#deps.settings);
    return refused || failingShare > 0 || noBalance;
  }

  async #balancesFor(
    ruled: readonly ListedChannel[],
  ): Promise<ReadonlyMap<string, ChannelBalance>> {
    const { settings, balances } = this.#deps;
    if (!ruled.some(({ channel }) => rulesFor(channel, settings).noBalance)) return new Map();
    return new Map((await balances.list()).map((each) => [each.channel, each]));
  }

  async #disable(
    channel: Channel,
    before: ChannelState | undefined,
    balances: ReadonlyMap<string, ChannelBalance>,
  ): Promise<boolean> {
    const { settings, states, clock, observers } = this.#deps;
    const rules = rulesFor(channel, settings);
    const since = before?.returnedAt ?? -Infinity;
    const balance = balances.get(channel.name);
    const found = causeToDisable(rules, {
      ...this.#refusalsOf(channel, since),
      recent:
        rules.failingShare > 0 ? await this.#recent(channel, rules.windowMs, since) : undefined,
      balance: balance !== undefined && balance.at > since ? balance : undefined,
    });
    if (found === undefined) return false;
    const now = clock.now();
    const probes = now - since < RELAPSE_MS ? (before?.probes ?? 0) : 0;
    const probeAt = now + probeDelayMs(probes);
    const state = { channel: channel.name, ...found, since: now, probeAt, probes };
    const isDone = await states.disable(state);
    if (isDone) for (const each of observers) each.onDisabled(state);
    return isDone;
  }

  #refusalsOf(channel: Channel, since: number): Pick<DisableEvidence, "credentials" | "refusals"> {
    const { refusals } = this.#deps.health.troubles(channel);
    return {
      credentials: channel.credentials.map(({ label }) => label),
      refusals: refusals.filter((each) => each.since > since),
    };
  }

  /** Attempts of whole minutes, since the channel returned. */
  async #recent(channel: Channel, windowMs: number, since: number): Promise<ChannelSum> {
    const opened = Math.floor((this.#deps.clock.now() - windowMs) / MINUTE_MS) * MINUTE_MS;
    const first = Math.max(opened, Math.ceil(since / MINUTE_MS) * MINUTE_MS);
    return sumMinutes(await this.#deps.minutes.read(channel.name, first, END_OF_TIME));
  }

  #isDue(state: ChannelState | undefined): state is ChannelState {
    return state?.isDisabled === true && state.probeAt <= this.#deps.clock.now();
  }

  async #tryAgain(channel: Channel, state: ChannelState, signal: AbortSignal): Promise<boolean> {
    const { states, clock, observers } = this.#deps;
    const nextAt = clock.now() + probeDelayMs(state.probes + 1);
    if (!(await states.leaseProbe(state, nextAt))) return false;
    if (!(await this.#deps.probe(channel, state, signal))) return false;
    const isDone = await states.enable(channel.name, clock.now());
    if (isDone) for (const each of observers) each.onEnabled(channel.name, undefined);
    return isDone;
  }

  /** Once an hour. */
  async #prune(watched: readonly ListedChannel[]): Promise<void> {
    const now = this.#deps.clock.now();
    if (now - this.#prunedAt < RELAPSE_MS) return;
    this.#prunedAt = now;
    const names = watched.map(({ channel }) => channel.name);
    await this.#deps.states.prune(now - KEPT_MS, names);
  }
}
