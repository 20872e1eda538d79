import type { Channel } from "#core/channel.ts";
import { createSecret } from "#core/key.ts";
import type { AccessTokens } from "#core/access-token.ts";
import { defaultDrainDelayMs } from "#gateway/drain-delay.ts";
import { ensureKeys, ensureLogin } from "#gateway/first-access.ts";
import { composeGateway } from "#gateway/compose.ts";
import { jobsOf } from "#gateway/jobs.ts";
import { findModelToTry } from "#gateway/model-to-try.ts";
import type { GatewayOptions } from "#gateway/options.ts";
import { SIMULATED_MODEL } from "#gateway/simulator.ts";
import { openHandler, openServer } from "#http/server.ts";
import { recoverHolds } from "#jobs/recover-holds.ts";
import { startJobs } from "#jobs/scheduler.ts";
import type { Health } from "#relay/failover/health.ts";
import { verifyWholeLedger } from "#storage/accounts/ledger-reader.ts";
import type { Violation } from "#storage/accounts/verify-ledger.ts";

export { VERSION } from "#version.ts";

export interface Gateway extends AsyncDisposable {
  readonly url: string;
  readonly channels: readonly Channel[];
  readonly health: Health;
  /** A served text model for a first call; undefined while none is known. */
  readonly modelToTry: string | undefined;
  /** The key created at the very first start; never shown again. */
  readonly firstKey: string | undefined;
  /** The metrics of this process alone, in the Prometheus text format. */
  renderMetrics(): string;
  /** The token for the root account's first login; undefined once the login exists. */
  readonly setupToken: string | undefined;
  /** Drains, settles and releases everything; `at once`: without `limits.drain_delay_ms`. */
  close(when?: "at once"): Promise<void>;
}

/** A gateway without a listener, for its opener only. */
interface OfflineGateway extends AsyncDisposable {
  handle(request: Request): Promise<Response>;
  /** Gives root access; valid only in this process and never stored. */
  readonly token: string;
  verifyLedger(): Promise<readonly Violation[]>;
}

/** Resources opened here are closed in reverse order. */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { config } = options;
  await using opened = new AsyncDisposableStack();
  const composed = await composeGateway(options, opened);
  const { storage, problems, clock, settings, channels, health, gatewayWatch } = composed;
  const firstKey = await ensureKeys(config, storage);
  const setupToken = await ensureLogin(config, storage);

  const recovery = recoverHolds(storage.ledger, clock, settings.leaseMs / 2);
  await recovery.run(new AbortController().signal);
  const jobs = startJobs(
    [recovery, ...jobsOf(composed, options.onCredentialRefused)],
    (job, cause) => {
      problems.error(`job ${job}`, cause, "job failed", { job });
      gatewayWatch.jobEnded(job, true);
    },
    (job) => gatewayWatch.jobEnded(job, false),
  );
  opened.defer(() => jobs.stop());

  const { host: hostname, port, limits } = settings;
  let delayMs = limits.drainDelayMs ?? defaultDrainDelayMs(options.env);
  const reusePort = options.workerLink !== undefined;
  const address = { hostname, port, reusePort, drainDelayMs: () => delayMs };
  const server = openServer(address, composed.app, composed.listener);
  composed.own.url = server.url;
  composed.own.connections = () => server.connections();
  opened.defer(() => server.drain());

  const held = opened.move();
  const close = (when?: "at once"): Promise<void> => {
    if (when === "at once") delayMs = 0;
    return held.disposeAsync();
  };
  return {
    url: server.url,
    get channels() {
      return channels.all;
    },
    health,
    get modelToTry() {
      return composed.channelRegistry.isSimulated ? SIMULATED_MODEL : findModelToTry(channels);
    },
    firstKey,
    setupToken,
    renderMetrics: () => composed.metrics.render(),
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

/** Opens a gateway without server and jobs, for commands on the database while no gateway runs. */
export async function openOffline(options: GatewayOptions): Promise<OfflineGateway> {
  await using opened = new AsyncDisposableStack();
  const { storage, app } = await composeGateway(options, opened);
  const { dataDir, databaseUrl } = options.config.settings;
  const token = createSecret();
  const root = await storage.users.find((await storage.users.ensureRoot()).id);
  const { callers } = app;
  const { accessTokens } = callers;
  const asRoot = root && { user: root, token: { id: 0, userId: root.id, name: "command line" } };
  const find: AccessTokens["find"] = async (secret) =>
    secret === token ? asRoot : await accessTokens.find(secret);

  const held = opened.move();
  return {
    handle: openHandler({ ...app, callers: { ...callers, accessTokens: { find } } }),
    token,
    verifyLedger: () =>
      verifyWholeLedger({ dataDir, ...(databaseUrl && { databaseUrl: databaseUrl.open() }) }),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}
