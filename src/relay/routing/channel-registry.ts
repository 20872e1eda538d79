import type { Channel } from "#core/channel.ts";
import type { ChannelState, ChannelStateStore } from "#core/channel-state.ts";
import type { ModelOverride } from "#core/model.ts";
import type {
  ChannelStore,
  ModelStore,
  RoutingVersion,
  StoredChannel,
} from "#core/stored-routing.ts";
import type { Egress } from "#egress/egress.ts";
import { findProvider } from "#providers/index.ts";
import { defined } from "#lib/values.ts";
import type { Channels } from "./channels.ts";
import type { Health } from "../failover/health.ts";
import { poolsOf } from "../failover/pools.ts";

type Source = "file" | "environment" | "simulated" | "stored";

/** Reasons why an enabled stored entry has no effect. */
export const CONFIG_ISSUES = {
  name_taken: "what is stored under this name is left out: the file or a variable has the name",
  provider_unknown: "this version does not know the provider of this channel, which is left out",
  credential_missing: "this channel is left out until it is given a credential",
  credential_unreadable:
    "this channel's credentials do not open, so it is left out: its row was changed outside of " +
    "the gateway, or the secret is not the one they were sealed with; give it new ones",
} as const;

type ConfigIssue = keyof typeof CONFIG_ISSUES;

export interface ListedChannel {
  readonly source: Source;
  readonly channel: Channel;
  /** For an entry that is not stored: the place where it is configured. */
  readonly owner?: string;
  /** Set for a stored entry. */
  readonly stored?: StoredChannel;
  readonly issue?: ConfigIssue;
  /** The gateway disabled it. Its models stay known. */
  readonly disabled?: ChannelState;
}

export interface ListedOverride {
  readonly source: "file" | "stored";
  readonly override: ModelOverride;
  readonly owner?: string;
  readonly issue?: ConfigIssue;
}

export interface ChannelRegistryDeps {
  /** Entries of the file and environment take precedence over stored ones. */
  readonly channels: readonly ListedChannel[];
  readonly models: ReadonlyMap<string, ListedOverride>;
  /** Channels that serve until the first channel is configured; built on first use. */
  readonly fallback: (() => Promise<readonly Channel[]>) | undefined;
  readonly store: {
    readonly channels: Pick<ChannelStore, "list">;
    readonly models: Pick<ModelStore, "list">;
    readonly routingVersion: RoutingVersion;
    readonly channelStates: Pick<ChannelStateStore, "list">;
  };
  /** Reloads catalog updates in the same load, so that prices and channels are consistent. */
  readonly catalog: { load(): Promise<void> };
  /** Notified of every change. */
  readonly table: Channels;
  readonly health: Health;
  readonly egress: Pick<Egress, "closePool">;
  readonly maxConcurrent: number;
  /** Called once for each new issue. */
  readonly onConfigIssue: (
    what: { channel: string } | { model: string },
    issue: ConfigIssue,
  ) => void;
}

/** All channels and overrides from any source, and the routing table built from them. */
export class ChannelRegistry {
  readonly #deps: ChannelRegistryDeps;
  #channels: readonly ListedChannel[] = [];
  #overrides: ReadonlyMap<string, ListedOverride> = new Map();
  #version: string | undefined;
  #loading: Promise<void> = Promise.resolve();
  #hadChannels = false;
  #fallback: readonly ListedChannel[] | undefined;
  #troubles: ReadonlySet<string> = new Set();

  constructor(deps: ChannelRegistryDeps) {
    this.#deps = deps;
  }

  get channels(): readonly ListedChannel[] {
    return this.#channels;
  }

  /** Whether only the simulator responds. */
  get isSimulated(): boolean {
    return this.#channels === this.#fallback && this.#channels.length > 0;
  }

  /** By client-visible name. */
  get overrides(): ReadonlyMap<string, ListedOverride> {
    return this.#overrides;
  }

  /**
   * The place where an entry of this name is configured, if that takes precedence over a stored
   * one; else undefined.
   */
  ownerOf(section: "channels" | "models", name: string): string | undefined {
    if (section === "models") return this.#deps.models.get(name)?.owner;
    return this.#deps.channels.find(({ channel }) => channel.name === name)?.owner;
  }

  /**
   * Applies the stored configuration; loads run one after another, so that the latest is applied
   * last.
   */
  async load(): Promise<void> {
    const loading = this.#loading.then(() => this.#load());
    this.#loading = loading.catch(() => {});
    await loading;
  }

  /** The same, if the stored configuration changed since the last load. */
  async refresh(): Promise<void> {
    if ((await this.#deps.store.routingVersion.read()) !== this.#version) await this.load();
  }

  async #load(): Promise<void> {
    const { store, table, models, catalog } = this.#deps;
    // Read before the rows, so that a change in between triggers another load.
    const version = await store.routingVersion.read();
    await catalog.load();
    const stored = (await store.channels.list()).map((each) => this.#listed(each));
    const overrides = (await store.models.list()).map(({ name, override }) => {
      const listed: ListedOverride = {
        source: "stored",
        override,
        ...(models.has(name) ? { issue: "name_taken" } : {}),
      };
      return [name, listed] as const;
    });

    const states = await store.channelStates.list();
    const disabled = new Map(
      states.filter(({ isDisabled }) => isDisabled).map((each) => [each.channel, each]),
    );

    const before = table.all.flatMap(poolsOf);
    const real = [...this.#deps.channels, ...stored].map((each) => withState(each, disabled));
    this.#channels = await this.#orFallback(real);
    this.#overrides = new Map([...overrides, ...models]);
    this.#version = version;
    table.replace(
      this.#channels.filter(isConfigured).map(({ channel }) => channel),
      new Map([...this.#overrides].map(([name, { override }]) => [name, override])),
    );
    this.#deps.health.setDisabled(new Set(disabled.keys()));
    this.#letGo(before);
    this.#report(overrides);
  }

  #listed(stored: StoredChannel): ListedChannel {
    const provider = findProvider(stored.provider);
    const channel: Channel = {
      name: stored.name,
      provider: stored.provider,
      baseUrl: stored.baseUrl ?? provider?.baseUrl ?? "",
      credentials: stored.credentials,
      models: stored.models,
      priority: stored.priority,
      weight: stored.weight,
      maxConcurrent: stored.maxConcurrent ?? this.#deps.maxConcurrent,
      isSimulated: false,
      reach: stored.reach,
      ...defined({
        style: stored.style,
        options: stored.options,
        limits: stored.limits,
        modelPrefix: stored.modelPrefix,
        overrides: stored.overrides,
        systemPrompt: stored.systemPrompt,
        timeout: stored.timeout,
        proxy: stored.proxy,
        autoDisable: stored.autoDisable,
        lowBalance: stored.lowBalance,
        priceFactor: stored.priceFactor,
        notes: stored.notes,
        tags: stored.tags,
      }),
    };
    const issue = this.#issueWith(stored, provider?.needsKey);
    return { source: "stored", channel, stored, ...(issue === undefined ? {} : { issue }) };
  }

  #issueWith(stored: StoredChannel, needsKey: boolean | undefined): ConfigIssue | undefined {
    if (this.#deps.channels.some(({ channel }) => channel.name === stored.name))
      return "name_taken";
    if (needsKey === undefined) return "provider_unknown";
    if (stored.sealedCredentials > 0) return "credential_unreadable";
    return needsKey && stored.credentials.length === 0 ? "credential_missing" : undefined;
  }

  /**
   * After the first real channel, the simulator never responds again: deleting the last channel
   * must not produce invented responses.
   */
  async #orFallback(real: readonly ListedChannel[]): Promise<readonly ListedChannel[]> {
    if (real.length > 0 || this.#hadChannels) {
      this.#hadChannels = true;
      return real;
    }
    this.#fallback ??= ((await this.#deps.fallback?.()) ?? []).map((channel) => ({
      source: "simulated",
      channel,
      owner: "the built-in simulator, which stands in until there is a channel",
    }));
    return this.#fallback;
  }

  #letGo(before: readonly string[]): void {
    const { table, health, egress } = this.#deps;
    const pools = new Set(table.all.flatMap(poolsOf));
    for (const pool of before) if (!pools.has(pool)) egress.closePool(pool);
    health.retain(table.all);
  }

  #report(overrides: readonly (readonly [string, ListedOverride])[]): void {
    const troubles = new Set<string>();
    const report = (what: { channel: string } | { model: string }, issue?: ConfigIssue): void => {
      if (issue === undefined) return;
      const key = JSON.stringify([what, issue]);
      troubles.add(key);
      if (!this.#troubles.has(key)) this.#deps.onConfigIssue(what, issue);
    };
    for (const { channel, issue } of this.#channels) report({ channel: channel.name }, issue);
    for (const [model, { issue }] of overrides) report({ model }, issue);
    this.#troubles = troubles;
  }
}

/** Serves calls, unless its configuration prevents it, or the gateway disabled it. */
export function isServing(listed: ListedChannel): boolean {
  return isConfigured(listed) && listed.disabled === undefined;
}

/** Would serve calls, as far as its owner is concerned. */
export function isConfigured({ stored, issue }: ListedChannel): boolean {
  return issue === undefined && stored?.isEnabled !== false;
}

function withState(
  listed: ListedChannel,
  states: ReadonlyMap<string, ChannelState>,
): ListedChannel {
  const disabled = states.get(listed.channel.name);
  return disabled === undefined || listed.issue !== undefined ? listed : { ...listed, disabled };
}
