import { LiveCatalog } from "#catalog/live-catalog.ts";
import { openCatalogUpdates } from "#catalog/updates.ts";
import type { Config } from "#config.ts";
import type { CatalogUpdates } from "#core/catalog-update.ts";
import type { Channel } from "#core/channel.ts";
import { findProvider, PROVIDERS } from "#providers/index.ts";
import { CredentialProbe } from "#relay/credential-probe.ts";
import { Channels } from "#relay/routing/channels.ts";
import { Health } from "#relay/failover/health.ts";
import {
  ChannelRegistry,
  type ListedChannel,
  type ListedOverride,
  CONFIG_ISSUES,
} from "#relay/routing/channel-registry.ts";
import { channelsFromEnvironment } from "#relay/routing/environment-channels.ts";
import type { Infrastructure, Stores } from "./infrastructure.ts";
import type { GatewayOptions } from "./options.ts";
import { openSimulator } from "./simulator.ts";

type Needs = Pick<Infrastructure, "config" | "log" | "clock" | "egress"> &
  Pick<GatewayOptions, "env"> &
  Stores<"channels" | "models" | "routingVersion" | "catalogRows" | "channelStates">;

export interface Routing {
  readonly channels: Channels;
  readonly health: Health;
  readonly channelRegistry: ChannelRegistry;
  readonly catalogUpdates: CatalogUpdates;
  /** Also finds channels that take no new calls. */
  findChannel(name: string): Channel | undefined;
}

/** Opens the channels from all sources. */
export async function openRouting(needs: Needs, opened: AsyncDisposableStack): Promise<Routing> {
  const { config, env, log, clock, storage, egress } = needs;
  const { limits } = config.settings;
  const maxConcurrent = limits.channelInFlight;
  const closing = new AbortController();
  opened.defer(() => closing.abort());
  const health: Health = new Health(clock, (channel, credential) =>
    credentialProbe.start(channel, credential),
  );
  const credentialProbe = new CredentialProbe({ egress, health, clock, signal: closing.signal });
  const catalog = openCatalog(needs);
  const channels = new Channels(catalog, new Map());
  const channelRegistry = new ChannelRegistry({
    channels: environmentChannels(config, env),
    models: overridesOf(config),
    fallback: maySimulate(config.settings) ? () => openSimulator(maxConcurrent, opened) : undefined,
    store: {
      channels: storage.channels,
      models: storage.models,
      routingVersion: storage.routingVersion,
      channelStates: storage.channelStates,
    },
    catalog,
    table: channels,
    health,
    egress,
    maxConcurrent,
    onConfigIssue: (what, issue) => log.warn({ ...what, issue }, CONFIG_ISSUES[issue]),
  });
  await channelRegistry.load();
  return {
    channels,
    health,
    channelRegistry,
    catalogUpdates: openCatalogUpdates({
      store: storage.catalogRows,
      catalog,
      providers: new Set(PROVIDERS.map(({ id }) => id)),
      clock,
      onChanged: () => channelRegistry.load(),
    }),
    findChannel: (name) => channels.all.find((each) => each.name === name),
  };
}

function openCatalog({
  log,
  clock,
  storage,
}: Pick<Infrastructure, "log" | "clock"> & Stores<"catalogRows">) {
  return new LiveCatalog({
    store: storage.catalogRows,
    clock,
    onUnreadable(rows) {
      const models = rows.slice(0, MAX_NAMED).map(({ provider, id }) => `${provider}/${id}`);
      log.warn(
        { rows: rows.length, models },
        "catalogue update rows ignored: unreadable by this version",
      );
    },
  });
}

const MAX_NAMED = 5;

/** In `auto` mode the simulator answers only if the gateway cannot be a production gateway. */
function maySimulate({ sandbox, host, databaseUrl }: Config["settings"]): boolean {
  if (sandbox !== "auto") return sandbox === "on";
  return databaseUrl === undefined && /^(127(\.\d+){3}|::1|localhost)$/i.test(host);
}

/** Channels from the file and from well-known environment variables. */
function environmentChannels(
  { channels, settings }: Config,
  env: GatewayOptions["env"],
): readonly ListedChannel[] {
  const written = channels.map((each): ListedChannel => ({
    source: "file",
    owner: ownerFile(settings.configPath),
    channel: {
      ...each,
      baseUrl: each.baseUrl ?? findProvider(each.provider)?.baseUrl ?? "",
      isSimulated: false,
    },
  }));
  const names = new Set(channels.map((each) => each.name));
  const found = channelsFromEnvironment(env, settings.limits.channelInFlight)
    .filter((each) => !names.has(each.name))
    .map((channel): ListedChannel => {
      const owner = `the variable ${findProvider(channel.provider)?.keyVariable ?? ""}`;
      return { source: "environment", owner, channel };
    });
  return [...written, ...found];
}

function overridesOf({ models, settings }: Config): ReadonlyMap<string, ListedOverride> {
  const date = new Date().toISOString().slice(0, 10);
  const overrides = [...models].map(([name, { rates, source, ...said }]) => {
    const override = { ...said, ...(rates && { price: { ...rates, source, date } }) };
    return [name, { source: "file", owner: ownerFile(settings.configPath), override }] as const;
  });
  return new Map(overrides);
}

function ownerFile(path: string | undefined): string {
  return `the file ${path ?? ""}`;
}
