import { hostname } from "node:os";
import { findCounting } from "#catalog/families.ts";
import { findModel, listModels } from "#catalog/index.ts";
import type { Config } from "#config.ts";
import { limitsOf } from "#config/limits.ts";
import type { Channel } from "#core/channel.ts";
import type { GatewayError } from "#core/error.ts";
import { createSecret } from "#core/key.ts";
import type { RateLimiter } from "#core/limits.ts";
import type { Price } from "#core/money.ts";
import { Deadlines } from "#lib/deadlines.ts";
import { openLinkedMedia } from "#egress/linked-media.ts";
import { openEgress } from "#egress/upstream.ts";
import { LoginLimits } from "#http/login-limits.ts";
import { RefusalSample } from "#http/refusal-sample.ts";
import { openServer } from "#http/server.ts";
import { discoverModels } from "#jobs/discover-models.ts";
import { endRefusedCalls } from "#jobs/end-refused-calls.ts";
import { logAuditHead } from "#jobs/log-audit-head.ts";
import { noteRefusals } from "#jobs/note-refusals.ts";
import { pruneKeptAnswers } from "#jobs/prune-kept-answers.ts";
import { pruneJournal } from "#jobs/prune-journal.ts";
import { pruneResponses } from "#jobs/prune-responses.ts";
import { recoverHolds } from "#jobs/recover-holds.ts";
import { startJobs } from "#jobs/scheduler.ts";
import { sumUsage } from "#jobs/sum-usage.ts";
import { systemClock, type Clock } from "#lib/clock.ts";
import { ulid } from "#lib/ids.ts";
import type { Logger } from "#lib/log.ts";
import { findProvider } from "#providers/index.ts";
import { Channels, type ModelOverride } from "#relay/channels.ts";
import { Health } from "#relay/health.ts";
import { OpenCalls } from "#relay/open-calls.ts";
import { openMetrics } from "#relay/metrics.ts";
import { channelsFromEnvironment, simulatedChannels } from "#relay/own-channels.ts";
import type { RelayDeps } from "#relay/relay.ts";
import { Router } from "#relay/route.ts";
import { Vault } from "#relay/vault.ts";
import { openStorage, type Storage } from "#storage/open.ts";
import { loadPepper } from "#storage/secrets.ts";
import { InProcessLimiter } from "#storage/counters/in-process.ts";
import { prefixOf, SharedLimiter } from "#storage/counters/shared.ts";
import { startSandbox } from "#sandbox/server.ts";

export interface Gateway extends AsyncDisposable {
  readonly url: string;
  readonly channels: readonly Channel[];
  readonly health: Health;
  /** Made on the very first start, and never shown again. */
  readonly firstKey: string | undefined;
  /** With which the root account gets its first login; undefined once it has one. */
  readonly setupToken: string | undefined;
  /** Drains, settles, and lets go of everything. */
  close(): Promise<void>;
}

export interface GatewayOptions {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  readonly clock?: Clock;
  /** Shown every stream that was written here; see `HttpDeps`. */
  readonly onStream?: (style: string, text: string) => void;
  /** The disk failed: the process must end, and the next start recover. */
  readonly onFatal?: () => void;
}

/** Before an answer's head is sent without its first event, and between two signs of life. */
const FIRST_SIGN_MS = 10_000;
const SILENCE_MS = 15_000;

/** How long signatures are kept for callers who cannot carry them, and how much of them. */
const VAULT_MS = 3_600_000;
const VAULT_LENGTH = 32 * 1024 * 1024;

/** No name of a configured key looks like it, so that they cannot meet. */
const BOOTSTRAP = "(bootstrap)";

/** Puts the house together. What is opened here is closed here, in the opposite order. */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { config, log, clock = systemClock } = options;
  const { settings } = config;
  const { limits } = settings;
  await using opened = new AsyncDisposableStack();

  const pepper = loadPepper(settings.dataDir, settings.secret?.open());
  const storage = opened.use(
    await openStorage({
      dataDir: settings.dataDir,
      ...(settings.databaseUrl === undefined ? {} : { databaseUrl: settings.databaseUrl.open() }),
      instance: `${hostname()}-${process.pid}-${ulid(clock.now()).slice(-6)}`,
      pepper,
      clock,
      maxQueue: limits.ledgerQueue,
      onError: (cause) => log.error({ err: cause }, "storage"),
      onFatal: () => options.onFatal?.(),
    }),
  );
  const firstKey = await ensureKeys(config, storage);
  const setupToken = await ensureLogin(config, storage);

  const deadlines = new Deadlines(clock);
  const egress = openEgress(limits, deadlines);
  opened.defer(() => egress.close());
  const health = new Health(clock);
  const channels = new Channels({ findModel, listModels, findCounting }, overridesOf(config));
  channels.replace(await openChannels(options, opened));
  const metrics = openMetrics(() => channels.all, health);

  const { userRpm, userTpm, userConcurrency } = settings;
  const relay: RelayDeps = {
    router: new Router(channels, health, settings),
    egress,
    health,
    clock,
    ledger: storage.ledger,
    limiter: await openLimiter(options, pepper, deadlines, opened),
    userLimits: limitsOf(userRpm, userTpm, userConcurrency),
    journal: storage.journal,
    vault: new Vault(clock, { keepMs: VAULT_MS, maxLength: VAULT_LENGTH }),
    media: openLinkedMedia({
      allow: settings.linkNetworks,
      ports: settings.linkPorts,
      maxBytes: limits.linkBytes,
      timeoutMs: limits.linkMs,
    }),
    open: new OpenCalls(),
    maxOpen: limits.inFlight,
    maxAttempts: limits.attempts,
    delivery: {
      maxEventBytes: limits.eventBytes,
      firstSignMs: FIRST_SIGN_MS,
      silenceMs: SILENCE_MS,
      checkpointMs: settings.checkpointMs,
      deadlines,
    },
    onClosed: (record) => metrics.observe(record),
    onTrouble: (cause) => log.error({ err: cause }, "settlement"),
  };

  const refusals = new RefusalSample(clock);
  const noting = noteRefusals(refusals, storage.audit, clock);
  opened.defer(async () => {
    try {
      await noting.run(new AbortController().signal);
    } catch (cause) {
      log.error({ err: cause }, "audit");
    }
  });
  const recovery = recoverHolds(storage.ledger, clock);
  await recovery.run(new AbortController().signal);
  const jobs = startJobs(
    [
      recovery,
      endRefusedCalls(relay.open, (ids) => storage.findRefusedKeys(ids)),
      sumUsage(storage, settings.usageDays, clock),
      pruneJournal(storage, settings.journalDays, clock),
      pruneResponses(storage.responses, clock),
      pruneKeptAnswers(storage.keptAnswers, limits.keptUserBytes, clock),
      noting,
      logAuditHead(storage.audit, (head) => log.info(head, "head of the audit log")),
      discoverModels(channels, egress, (channel, cause) =>
        log.warn({ channel: channel.name, err: cause }, "the upstream's models are unknown"),
      ),
    ],
    (job, cause) => log.error({ job, err: cause }, "job"),
  );
  opened.defer(() => jobs.stop());

  const server = openServer(
    { hostname: settings.host, port: settings.port },
    {
      keys: storage.keys,
      ownKeys: storage.keys,
      users: storage.users,
      logins: storage.logins,
      loginLimits: new LoginLimits(clock),
      audit: storage.audit,
      refusals,
      trustedProxies: settings.trustedProxies,
      calls: storage.calls,
      usage: storage.usage,
      ledger: storage.ledger,
      responses: storage.responses,
      keptAnswers: storage.keptAnswers,
      channels,
      relay,
      clock,
      limits,
      renderMetrics: () => metrics.render(),
      ping: () => storage.ping(),
      metricsToken: settings.metricsToken?.open(),
      onError: (error, requestId) => logFailure(log, error, requestId),
      ...(options.onStream === undefined ? {} : { onStream: options.onStream }),
    },
  );
  opened.defer(() => server.drain());

  const held = opened.move();
  const close = (): Promise<void> => held.disposeAsync();
  return {
    url: server.url,
    channels: channels.all,
    health,
    firstKey,
    setupToken,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Upstreams fail every day; only what is our own fault is an error. What they said is not logged. */
function logFailure(log: Logger, error: GatewayError, requestId: string): void {
  const { code, message, fault } = error;
  if (fault.blame === "gateway") log.error({ requestId, code, err: error.cause ?? error }, message);
  else log.warn({ requestId, code }, message);
}

/** In this process, or on a server that several gateways share. */
async function openLimiter(
  { config, log, clock = systemClock }: GatewayOptions,
  pepper: Uint8Array,
  deadlines: Deadlines,
  opened: AsyncDisposableStack,
): Promise<RateLimiter> {
  const local = new InProcessLimiter(clock);
  const url = config.settings.redisUrl?.open();
  if (url === undefined) return local;
  return opened.use(
    await SharedLimiter.open({
      url,
      prefix: prefixOf(pepper),
      local,
      deadlines,
      onDown: (err) => log.warn({ err }, "rate limits are counted here alone: no Valkey or Redis"),
      onUp: () => log.info("rate limits are counted together again"),
    }),
  );
}

/** The root user, the keys of the configuration, and a first key where there would be none. */
async function ensureKeys(config: Config, storage: Storage): Promise<string | undefined> {
  const root = await storage.users.ensureRoot();
  const { bootstrapKey } = config.settings;
  // The file may well give the same key a name and bounds of its own; then those hold.
  const isNamed = config.keys.some((key) => key.secret.open() === bootstrapKey?.open());
  const named = [
    ...(bootstrapKey === undefined || isNamed
      ? []
      : [{ name: BOOTSTRAP, secret: bootstrapKey, models: ["*"] }]),
    ...config.keys,
  ];
  for (const { secret, ...entry } of named) {
    await storage.keys.syncNamed({ userId: root.id, ...entry, secret: secret.open() });
  }
  if (named.length > 0 || (await storage.keys.list(root.id)).length > 0) return undefined;

  const secret = createSecret();
  await storage.keys.create({ userId: root.id, name: "first", models: ["*"], secret });
  return secret;
}

/** There is never a password that nobody chose: either the settings have one, or whoever starts us does. */
async function ensureLogin({ settings }: Config, storage: Storage): Promise<string | undefined> {
  const { adminEmail, adminPassword } = settings;
  if (adminEmail !== undefined && adminPassword !== undefined) {
    await storage.users.ensureRootLogin(adminEmail, adminPassword.open());
  }
  return await storage.logins.issueSetupToken();
}

/** From the file and the well-known variables; without any, the simulator stands in. */
async function openChannels(
  { config, env }: GatewayOptions,
  opened: AsyncDisposableStack,
): Promise<readonly Channel[]> {
  const { limits, sandbox } = config.settings;
  const written = config.channels.map((each) => ({
    ...each,
    baseUrl: each.baseUrl ?? findProvider(each.provider)?.baseUrl ?? "",
    isSimulated: false,
  }));
  const names = new Set(written.map((each) => each.name));
  const found = channelsFromEnvironment(env, limits.channelInFlight);
  const all = [...written, ...found.filter((each) => !names.has(each.name))];
  if (all.length > 0 || sandbox === "off") return all;

  const simulator = opened.use(await startSandbox());
  return simulatedChannels(simulatedVendors(simulator.url), limits.channelInFlight);
}

function overridesOf(config: Config): ReadonlyMap<string, ModelOverride> {
  const today = new Date().toISOString().slice(0, 10);
  const overrides = [...config.models].map(([name, { rates, source, ...limits }]) => {
    const price: Price | undefined = rates && { ...rates, source, date: today };
    return [name, { ...limits, ...(price === undefined ? {} : { price }) }] as const;
  });
  return new Map(overrides);
}

/** Where the simulator plays which vendor. */
function simulatedVendors(url: string): Readonly<Record<string, string>> {
  return {
    openai: `${url}/openai/v1`,
    anthropic: `${url}/anthropic/v1`,
    gemini: `${url}/gemini/v1beta`,
    dashscope: `${url}/dashscope/compatible-mode/v1`,
    ark: `${url}/ark/api/v3`,
  };
}
