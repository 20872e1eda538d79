import { hostname } from "node:os";
import type { Config, Settings } from "#config.ts";
import { LiveSettings } from "#config/live-settings.ts";
import type { Egress } from "#egress/egress.ts";
import type { ProxyRules } from "#egress/proxy.ts";
import { openEgress } from "#egress/upstream.ts";
import { systemClock, type Clock } from "#lib/clock.ts";
import { Deadlines } from "#lib/deadlines.ts";
import { ulid } from "#lib/ids.ts";
import type { Logger } from "#lib/log.ts";
import { ThrottledLog } from "#lib/throttled-log.ts";
import { openStorage, type Storage } from "#storage/open.ts";
import { findSecretFile, loadPepper } from "#storage/secrets/secrets.ts";
import type { GatewayOptions } from "./options.ts";

/** What every room stands on; each says which of it. */
export interface Infrastructure {
  /** As it was at the start. */
  readonly config: Config;
  readonly env: GatewayOptions["env"];
  readonly log: Logger;
  /** For failures that may happen thousands of times a second. */
  readonly problems: ThrottledLog;
  readonly clock: Clock;
  /** All keys of digests and seals are made of it. */
  readonly pepper: Uint8Array;
  /** Names this process in what it leases. */
  readonly instance: string;
  readonly storage: Storage;
  readonly live: LiveSettings;
  /** Those of `live`, which change in place: whoever needs the latest reads the property each time. */
  readonly settings: Settings;
  /** Where callers and vendors reach the gateway, without a slash at its end. */
  readonly publicUrl: string | undefined;
  /** The address that this process listens on, once it does. */
  readonly own: { url?: string };
  readonly deadlines: Deadlines;
  readonly egress: Egress;
}

export async function openInfrastructure(
  options: GatewayOptions,
  opened: AsyncDisposableStack,
): Promise<Infrastructure> {
  const { config, env, log, clock = systemClock } = options;
  const { dataDir, databaseUrl, secret, limits } = config.settings;
  const secretFile = findSecretFile(dataDir, secret?.open());
  const pepper = loadPepper(dataDir, secret?.open());
  const instance = `${hostname()}-${process.pid}-${ulid(clock.now()).slice(-6)}`;
  const problems = opened.use(new ThrottledLog(log));
  const storage = opened.use(
    await openStorage({
      dataDir,
      ...(databaseUrl === undefined ? {} : { databaseUrl: databaseUrl.open() }),
      instance,
      pepper,
      ...(secretFile === undefined ? {} : { secretFile }),
      clock,
      maxQueue: limits.ledgerQueue,
      onError: (cause) => problems.error("storage", cause, "storage failed"),
      onFatal: () => options.onFatal?.(),
    }),
  );
  const live = openSettings(options, storage);
  await live.load();
  const settings = live.now;
  const publicUrl = settings.publicUrl?.replace(/\/$/, "");
  const deadlines = new Deadlines(clock);
  const egress = openEgress(settings.limits, deadlines, clock, proxyIn(settings));
  opened.defer(() => egress.close());
  return {
    config,
    env,
    log,
    problems,
    clock,
    pepper,
    instance,
    storage,
    live,
    settings,
    publicUrl,
    own: {},
    deadlines,
    egress,
  };
}

function proxyIn({ upstreamProxy, proxyExceptions }: Settings): ProxyRules | undefined {
  if (upstreamProxy === undefined) return undefined;
  return { url: upstreamProxy.open(), except: proxyExceptions };
}

function openSettings(
  { config, log }: Pick<GatewayOptions, "config" | "log">,
  storage: Pick<Storage, "settings" | "routingVersion">,
): LiveSettings {
  const { logLevel } = config.settings;
  const { level } = log;
  return new LiveSettings({
    config,
    store: storage.settings,
    version: storage.routingVersion,
    onError: (setting) => log.warn({ setting }, "what is stored for this setting is left out"),
    onLoad(now) {
      // As it was opened, unless somebody says otherwise.
      log.level = now.logLevel === logLevel ? level : now.logLevel;
    },
  });
}
