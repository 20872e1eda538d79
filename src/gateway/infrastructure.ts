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

/** The infrastructure that all modules use. */
export interface Infrastructure {
  /** The configuration at the start. */
  readonly config: Config;
  readonly log: Logger;
  /** A log for failures that may occur thousands of times per second. */
  readonly problems: ThrottledLog;
  readonly clock: Clock;
  /** The secret from which all keys for digests and encryption are derived. */
  readonly pepper: Uint8Array;
  /** Identifies this process as the owner of leases. */
  readonly instance: string;
  readonly live: LiveSettings;
  /**
   * The settings of `live`, updated in place: read the property each time to
   * get the latest value.
   */
  readonly settings: Settings;
  /** Public URL of the gateway for clients and vendors, without a trailing slash. */
  readonly publicUrl: string | undefined;
  /** The address that this process listens on, set at listen. */
  readonly own: {
    url?: string;
    /** Requests and WebSockets that are open now. */
    connections?: () => { readonly requests: number; readonly webSockets: number };
  };
  readonly deadlines: Deadlines;
  readonly egress: Egress;
}

/** The stores that a module takes of the storage. */
export interface Stores<Names extends keyof Storage> {
  readonly storage: Pick<Storage, Names>;
}

export async function openInfrastructure(
  options: GatewayOptions,
  opened: AsyncDisposableStack,
): Promise<Infrastructure & { readonly storage: Storage }> {
  const { config, log, clock = systemClock, passwordCost } = options;
  const { dataDir, databaseUrl, secret, limits, leaseMs } = config.settings;
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
      limits: { leaseMs },
      ...(passwordCost === undefined ? {} : { passwordCost }),
      onError: (cause) => problems.error("storage", cause, "storage failed"),
      onFatal: () => options.onFatal?.(),
      onWait: (message) => log.warn(message),
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
    onError: (setting) => log.warn({ setting }, "stored setting ignored: invalid value"),
    onLoad(now) {
      // The level from the start stays, unless a stored setting changes it.
      log.level = now.logLevel === logLevel ? level : now.logLevel;
    },
  });
}
