import { hostname } from "node:os";
import { join } from "node:path";
import { findCounting } from "#catalog/families.ts";
import { findModel, listModels } from "#catalog/index.ts";
import type { Config } from "#config.ts";
import { readDescribedChannel, readDescribedModel } from "#config/described.ts";
import { LiveSettings } from "#config/live-settings.ts";
import { openConfiguration } from "#config/managed/configuration.ts";
import type { Asset } from "#core/asset.ts";
import type { Channel } from "#core/channel.ts";
import { GatewayError } from "#core/error.ts";
import { createSecret } from "#core/key.ts";
import type { RateLimiter } from "#core/limits.ts";
import type { LoginLimiter } from "#core/login-limits.ts";
import type { Logins } from "#core/user.ts";
import { Deadlines } from "#lib/deadlines.ts";
import { openIdentityProvider } from "#egress/oidc/identity-provider.ts";
import { openCallerLinks } from "#egress/caller-links.ts";
import { openLinkedFiles } from "#egress/linked-files.ts";
import { openLinkedMedia } from "#egress/linked-media.ts";
import { openMediaBucket } from "#egress/media-bucket.ts";
import { reachNeeded } from "#egress/reach.ts";
import { openEgress } from "#egress/upstream.ts";
import { VERIFY_PATH } from "#http/api/asset/verify-return.ts";
import { NOTICES_PATH } from "#http/api/video/vendor-notices.ts";
import { CALLBACK_PATH } from "#http/api/user/oidc.ts";
import type { HttpDeps, SingleSignOn } from "#http/deps.ts";
import { RefusalSample } from "#http/refusal-sample.ts";
import { openHandler, openServer } from "#http/server.ts";
import { attendVerifications, pruneVerifications, watchAssetLibrary } from "#jobs/watch-assets.ts";
import { copyMedia, pruneMedia } from "#jobs/copy-media.ts";
import { discoverModels } from "#jobs/discover-models.ts";
import { endRefusedCalls } from "#jobs/end-refused-calls.ts";
import { logAuditHead } from "#jobs/log-audit-head.ts";
import { noteRefusals } from "#jobs/note-refusals.ts";
import { pruneKeptAnswers } from "#jobs/prune-kept-answers.ts";
import { pruneJournal } from "#jobs/prune-journal.ts";
import { pruneResponses } from "#jobs/prune-responses.ts";
import { refreshStored } from "#jobs/refresh-stored.ts";
import { recoverHolds } from "#jobs/recover-holds.ts";
import { pruneNotices, sendDueNotices } from "#jobs/send-notices.ts";
import { startJobs } from "#jobs/scheduler.ts";
import { pruneTasks } from "#jobs/prune-tasks.ts";
import { watchTasks } from "#jobs/watch-tasks.ts";
import { sumUsage } from "#jobs/sum-usage.ts";
import { systemClock, type Clock } from "#lib/clock.ts";
import { ulid } from "#lib/ids.ts";
import { deriveKey } from "#lib/derive-key.ts";
import { openSeal } from "#lib/seal.ts";
import type { Logger } from "#lib/log.ts";
import { findProvider, PROVIDERS } from "#providers/index.ts";
import { requirementsOf } from "#providers/provider.ts";
import { Library } from "#relay/assets/library.ts";
import { OwnFiles } from "#relay/assets/own-files.ts";
import { OwnLinks } from "#relay/assets/own-links.ts";
import { Verifications } from "#relay/assets/verifications.ts";
import { Channels } from "#relay/channels.ts";
import { Contents, type ContentsDeps } from "#relay/content/contents.ts";
import { wantCopies } from "#relay/content/copies.ts";
import { Health } from "#relay/health.ts";
import {
  Inventory,
  type InventoryDeps,
  type ListedChannel,
  type ListedOverride,
  TROUBLES,
} from "#relay/inventory.ts";
import { OpenCalls } from "#relay/open-calls.ts";
import { openMetrics } from "#relay/metrics.ts";
import { channelsFromEnvironment, simulatedChannels } from "#relay/own-channels.ts";
import type { OperateDeps } from "#relay/operate.ts";
import type { RelayDeps } from "#relay/relay.ts";
import { announce } from "#relay/tasks/announce.ts";
import { Tasks, type TasksDeps } from "#relay/tasks/tasks.ts";
import { Router } from "#relay/route.ts";
import { Vault } from "#relay/vault.ts";
import { VIDEO_FORMATS } from "#styles/video/index.ts";
import { openMediaFolder } from "#storage/media-folder.ts";
import { openStorage, type Storage } from "#storage/open.ts";
import { digestOf, loadPepper } from "#storage/secrets.ts";
import { InProcessLimiter } from "#storage/counters/in-process.ts";
import { InProcessLogins } from "#storage/counters/in-process-logins.ts";
import { prefixOf, SharedLimiter } from "#storage/counters/shared.ts";
import { SharedLogins } from "#storage/counters/shared-logins.ts";
import { verifyLedger, type Violation } from "#storage/verify-ledger.ts";

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

/** A gateway that serves nobody but whoever opened it. */
export interface OfflineGateway extends AsyncDisposable {
  handle(request: Request): Promise<Response>;
  /** Whoever shows it is root. It is good in this process, and never kept. */
  readonly token: string;
  verifyLedger(): Promise<readonly Violation[]>;
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

/** How long a task stays in the hands of a gateway that shows no sign of life. */
const LEASE_MS = 30_000;

/** How long signatures are kept for callers who cannot carry them, and how much of them. */
const VAULT_MS = 3_600_000;
const VAULT_LENGTH = 32 * 1024 * 1024;

const KNOWN_PROVIDERS = PROVIDERS.map(requirementsOf);

/** No name of a configured key looks like it, so that they cannot meet. */
const BOOTSTRAP = "(bootstrap)";

/** What is opened here is closed here, in the opposite order. */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { config, log, clock = systemClock } = options;
  await using opened = new AsyncDisposableStack();
  const { storage, deps, channels, inventory, noting, live, links, media, assetWork } =
    await openHouse(options, opened);
  const { now: settings } = live;
  const { relay } = deps;
  const firstKey = await ensureKeys(config, storage);
  const setupToken = await ensureLogin(config, storage);

  const recovery = recoverHolds(storage.ledger, clock);
  await recovery.run(new AbortController().signal);
  const jobs = startJobs(
    [
      recovery,
      endRefusedCalls(relay.open, (ids) => storage.findRefusedKeys(ids)),
      sumUsage(storage, settings, clock),
      pruneJournal(storage, settings, clock),
      pruneResponses(storage.responses, clock),
      pruneKeptAnswers(storage.keptAnswers, settings.limits, clock),
      noting,
      logAuditHead(storage.audit, (head) => log.info(head, "head of the audit log")),
      watchTasks(deps.tasks),
      sendDueNotices({
        notices: storage.notices,
        secrets: storage.noticeSecrets,
        clock,
        links,
      }),
      pruneNotices(storage.notices, clock),
      pruneTasks(storage.tasks, settings, clock),
      watchAssetLibrary(assetWork),
      attendVerifications(assetWork),
      pruneVerifications(storage.identitySessions, clock),
      copyMedia(deps.contents),
      pruneMedia(media, settings),
      refreshStored(live, inventory),
      discoverModels(channels, relay.egress, clock, ({ name }, cause) => {
        const { code, fault } = GatewayError.from(cause);
        const more = fault.blame === "gateway" ? { err: cause } : {};
        log.warn({ channel: name, code, ...more }, "the upstream's models are unknown");
      }),
    ],
    (job, cause) => log.error({ job, err: cause }, "job"),
  );
  opened.defer(() => jobs.stop());

  const server = openServer({ hostname: settings.host, port: settings.port }, deps);
  opened.defer(() => server.drain());

  const held = opened.move();
  const close = (): Promise<void> => held.disposeAsync();
  return {
    url: server.url,
    get channels() {
      return channels.all;
    },
    health: relay.health,
    firstKey,
    setupToken,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Without a server and without jobs, for one who works on the database while no gateway does. */
export async function openOffline(options: GatewayOptions): Promise<OfflineGateway> {
  await using opened = new AsyncDisposableStack();
  const { storage, deps } = await openHouse(options, opened);
  const token = createSecret();
  const root = await storage.users.find((await storage.users.ensureRoot()).id);
  const { logins } = deps;
  const findByToken: Logins["findByToken"] = async (secret) =>
    secret === token ? root : await logins.findByToken(secret);

  const held = opened.move();
  return {
    handle: openHandler({ ...deps, logins: { ...logins, findByToken } }),
    token,
    verifyLedger: () => verifyLedger(storage.db),
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

/** Puts the house together, all but what acts by itself. */
async function openHouse(options: GatewayOptions, opened: AsyncDisposableStack) {
  const { config, log, clock = systemClock } = options;
  const { dataDir, databaseUrl, secret } = config.settings;

  const pepper = loadPepper(dataDir, secret?.open());
  const instance = `${hostname()}-${process.pid}-${ulid(clock.now()).slice(-6)}`;
  const storage = opened.use(
    await openStorage({
      dataDir,
      ...(databaseUrl === undefined ? {} : { databaseUrl: databaseUrl.open() }),
      instance,
      pepper,
      clock,
      maxQueue: config.settings.limits.ledgerQueue,
      onError: (cause) => log.error({ err: cause }, "storage"),
      onFatal: () => options.onFatal?.(),
    }),
  );
  const live = openSettings(options, storage);
  await live.load();
  const { now: settings } = live;
  const { limits } = settings;
  const deadlines = new Deadlines(clock);
  const egress = openEgress(limits, deadlines);
  opened.defer(() => egress.close());
  const health = new Health(clock);
  const channels = new Channels({ findModel, listModels, findCounting }, new Map());
  const inventory = openInventory(options, opened, {
    store: storage,
    table: channels,
    health,
    egress,
  });
  await inventory.load();
  let tasks: Tasks | undefined;
  const metrics = openMetrics(
    () => channels.all,
    health,
    () => tasks?.board.size ?? 0,
  );

  const publicUrl = settings.publicUrl?.replace(/\/$/, "");
  const links = openCallerLinks(() => ({
    allow: settings.linkNetworks,
    ports: settings.linkPorts,
  }));
  const mediaPlace = settings.mediaStore === "off" ? undefined : settings.mediaStore;
  const announcing = {
    notices: storage.notices,
    clock,
    formatOf: (entry: string) => VIDEO_FORMATS.get(entry),
    keepsMedia: mediaPlace !== undefined,
    contentUrlOf: (id: string) => `${publicUrl ?? ""}/v1/videos/${id}/content`,
  };
  const copying = { copies: storage.mediaCopies, clock };
  const stores = openMediaStores(config.settings);
  const linkedFiles = openLinkedFiles(() => ({
    allow: settings.linkNetworks,
    ports: settings.linkPorts,
    maxBytes: limits.mediaBytes,
    firstByteMs: limits.firstByteMs,
    idleMs: limits.idleMs,
  }));
  const keeping = { assets: storage.assets, clock };
  const assetFiles = new OwnFiles({
    ...keeping,
    files: linkedFiles,
    stores,
    store: mediaPlace ?? "folder",
    get maxPixels() {
      return limits.picturePixels;
    },
    limits,
  });
  const assetLinks = new OwnLinks({
    ...keeping,
    files: assetFiles,
    key: deriveKey(pepper, "links to assets"),
    publicUrl,
  });
  const desks = { ...keeping, egress, listChannels: () => channels.all };
  const relay: RelayDeps & OperateDeps & TasksDeps = {
    tasks: storage.tasks,
    owner: instance,
    leaseMs: LEASE_MS,
    deadlines,
    limits,
    findChannel: (name) => channels.all.find((each) => each.name === name),
    callbackUrlFor: (channel, taskId) =>
      publicUrl && `${publicUrl}${NOTICES_PATH}/${encodeURIComponent(channel)}/${taskId}`,
    async announce(task) {
      // Before its caller is told of it: what is told may be asked for at once.
      if (mediaPlace !== undefined) await wantCopies(task, mediaPlace, copying);
      await announce(task, announcing);
    },
    links,
    router: new Router(channels, health, settings),
    egress,
    health,
    clock,
    ledger: storage.ledger,
    limiter: await openLimiter(options, pepper, deadlines, opened),
    get userLimits() {
      return live.userLimits;
    },
    journal: storage.journal,
    vault: new Vault(clock, { keepMs: VAULT_MS, maxLength: VAULT_LENGTH }),
    media: assetLinks.shortcut(
      openLinkedMedia(() => ({
        allow: settings.linkNetworks,
        ports: settings.linkPorts,
        maxBytes: limits.linkBytes,
        timeoutMs: limits.linkMs,
      })),
    ),
    references: { ...desks, originOf: (asset) => assetLinks.originOf(asset) },
    open: new OpenCalls(),
    get maxOpen() {
      return limits.inFlight;
    },
    get maxAttempts() {
      return limits.attempts;
    },
    get maxPixels() {
      return limits.picturePixels;
    },
    get pendingMs() {
      return limits.unaryMs;
    },
    delivery: {
      get maxEventBytes() {
        return limits.eventBytes;
      },
      get maxPictureEventBytes() {
        return limits.answerBytes;
      },
      firstSignMs: FIRST_SIGN_MS,
      silenceMs: SILENCE_MS,
      get checkpointMs() {
        return settings.checkpointMs;
      },
      deadlines,
    },
    onClosed: (record) => metrics.observe(record),
    onLook: (lateMs) => metrics.observeLook(lateMs),
    onTrouble: (cause) => log.error({ err: cause }, "settlement"),
  };

  tasks = new Tasks(relay);
  opened.defer(() => tasks?.close());

  const media: ContentsDeps = {
    egress,
    clock,
    tasks: storage.tasks,
    findChannel: relay.findChannel,
    copies: storage.mediaCopies,
    stores,
    files: linkedFiles,
    limits,
    onTrouble: (cause) => log.error({ err: cause }, "media"),
  };
  const contents = new Contents(media);

  const library = new Library({
    ...desks,
    links,
    limits,
    ownLinkTo: (asset) => assetLinks.linkTo(asset),
  });
  const assetWork = {
    ...desks,
    sessions: storage.identitySessions,
    seal: openSeal(pepper, "verifications of persons"),
    links,
    digest: (word: string) => digestOf(`verification of a person:${word}`, pepper),
    returnUrlFor: (word: string) => publicUrl && `${publicUrl}${VERIFY_PATH}/${word}`,
    secrets: storage.noticeSecrets,
    takeIn: (asset: Asset) => assetFiles.takeIn(asset),
    letGo: (asset: Asset) => assetFiles.letGo(asset),
    onTrouble: (cause: unknown) => log.error({ err: cause }, "assets"),
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
  const deps: HttpDeps = {
    keys: storage.keys,
    ownKeys: storage.keys,
    users: storage.users,
    groups: storage.groups,
    logins: storage.logins,
    secondFactors: storage.secondFactors,
    get secondFactorRule() {
      return settings.secondFactorRule;
    },
    identities: storage.identities,
    tasks,
    library,
    assetFiles,
    assetLinks,
    verifications: new Verifications(assetWork),
    contents,
    keepsMedia: mediaPlace !== undefined,
    publicUrl,
    pathAliases: settings.pathAliases,
    notices: storage.notices,
    noticeSecrets: storage.noticeSecrets,
    imageShape: () => settings.imageShape,
    singleSignOn: openSignOn(config, pepper, clock),
    loginLimits: await openLogins(options, pepper, deadlines, opened),
    audit: storage.audit,
    refusals,
    trustedProxies: settings.trustedProxies,
    calls: storage.calls,
    usage: storage.usage,
    ledger: storage.ledger,
    quotas: storage.quotas,
    teams: storage.teams,
    responses: storage.responses,
    keptAnswers: storage.keptAnswers,
    channels,
    inventory,
    channelStore: storage.channels,
    modelStore: storage.models,
    settings: live,
    configuration: openConfiguration({
      stores: storage,
      atomically: storage.atomically,
      providers: KNOWN_PROVIDERS,
      clock,
      reachNeeded,
      ownerOf: (section, name) =>
        section === "settings" ? live.ownerOf(name) : inventory.ownerOf(section, name),
      async onApplied() {
        await live.load();
        await inventory.load();
      },
    }),
    readChannel: (json, terms) => readDescribedChannel(json, KNOWN_PROVIDERS, terms),
    readModel: readDescribedModel,
    reachNeeded,
    relay,
    clock,
    limits,
    renderMetrics: () => metrics.render(),
    ping: () => storage.ping(),
    metricsToken: settings.metricsToken?.open(),
    onError: (error, requestId) => logFailure(log, error, requestId),
    ...(options.onStream === undefined ? {} : { onStream: options.onStream }),
  };
  return { storage, deps, channels, inventory, noting, live, links, media, assetWork };
}

/** Upstreams fail every day; only what is our own fault is an error. What they said is not logged. */
function logFailure(log: Logger, error: GatewayError, requestId: string): void {
  const { code, message, fault } = error;
  if (fault.blame === "gateway") log.error({ requestId, code, err: error.cause ?? error }, message);
  else log.warn({ requestId, code }, message);
}

function openSettings({ config, log }: GatewayOptions, storage: Storage): LiveSettings {
  const { logLevel } = config.settings;
  const { level } = log;
  return new LiveSettings({
    config,
    store: storage.settings,
    version: storage.routingVersion,
    onTrouble: (setting) => log.warn({ setting }, "what is stored for this setting is left out"),
    onLoad(now) {
      // As it was opened, unless somebody says otherwise.
      log.level = now.logLevel === logLevel ? level : now.logLevel;
    },
  });
}

/** Both where both are there: earlier copies may be in the one that is not used any more. */
function openMediaStores(settings: Config["settings"]): ContentsDeps["stores"] {
  const { dataDir, s3Bucket, s3Endpoint, s3Region, s3KeyId, s3Secret, limits } = settings;
  const folder = join(dataDir, "media");
  const stores = { folder: openMediaFolder(folder) };
  if (s3Bucket === undefined || s3KeyId === undefined || s3Secret === undefined) return stores;
  const bucket = {
    name: s3Bucket,
    endpoint: s3Endpoint,
    region: s3Region,
    openKey: () => ({ id: s3KeyId, secret: s3Secret.open() }),
  };
  const options = { folder: join(folder, ".outgoing"), idleMs: limits.idleMs };
  return { ...stores, s3: openMediaBucket(bucket, options) };
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

/** The same for guesses at passwords. */
async function openLogins(
  { config, log, clock = systemClock }: GatewayOptions,
  pepper: Uint8Array,
  deadlines: Deadlines,
  opened: AsyncDisposableStack,
): Promise<LoginLimiter> {
  const local = new InProcessLogins(clock);
  const url = config.settings.redisUrl?.open();
  if (url === undefined) return local;
  return opened.use(
    await SharedLogins.open({
      url,
      prefix: prefixOf(pepper),
      digest: (name) => digestOf(`login limits:${name}`, pepper),
      local,
      deadlines,
      onDown: (err) => log.warn({ err }, "logins are counted here alone: no Valkey or Redis"),
      onUp: () => log.info("logins are counted together again"),
    }),
  );
}

function openSignOn(
  { settings }: Config,
  pepper: Uint8Array,
  clock: Clock,
): SingleSignOn | undefined {
  const { oidcIssuer, oidcClientId, oidcClientSecret, publicUrl, oidcQuota } = settings;
  if (oidcIssuer === undefined || oidcClientId === undefined) return undefined;
  if (oidcClientSecret === undefined || publicUrl === undefined) return undefined;
  return {
    provider: openIdentityProvider({
      issuer: oidcIssuer,
      clientId: oidcClientId,
      openSecret: oidcClientSecret.open,
      callback: publicUrl.replace(/\/$/, "") + CALLBACK_PATH,
      allow: settings.oidcNetworks,
      clock,
    }),
    name: settings.oidcName,
    rules: {
      domains: settings.oidcDomains,
      newUsers: settings.oidcNewUsers,
      role: settings.oidcRole,
      ...(oidcQuota === undefined ? {} : { quota: oidcQuota }),
    },
    isSecondFactor: settings.oidcSecondFactor === "trust",
    seal: openSeal(pepper, "single sign-on"),
  };
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

/** What is written down beside the database; where nobody has described a channel, the simulator stands in. */
function openInventory(
  { config, env, log }: GatewayOptions,
  opened: AsyncDisposableStack,
  deps: Pick<InventoryDeps, "store" | "table" | "health" | "egress">,
): Inventory {
  const { limits, sandbox } = config.settings;
  const maxConcurrent = limits.channelInFlight;
  return new Inventory({
    ...deps,
    channels: ownChannels(config, env),
    models: overridesOf(config),
    standIn:
      sandbox === "off"
        ? undefined
        : async () => {
            // A gateway with channels of its own need not hold the simulators in memory.
            const { startSandbox } = await import("#sandbox/server.ts");
            const { SANDBOX_PAIR } = await import("#sandbox/key-pairs.ts");
            const simulator = opened.use(await startSandbox());
            return simulatedChannels(simulatedVendors(simulator.url), SANDBOX_PAIR, maxConcurrent);
          },
    maxConcurrent,
    onTrouble: (what, trouble) => log.warn({ ...what, trouble }, TROUBLES[trouble]),
  });
}

/** From the file and the well-known variables. */
function ownChannels(
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

/** Where the simulator plays which vendor. */
function simulatedVendors(url: string): Readonly<Record<string, string>> {
  return {
    openai: `${url}/openai/v1`,
    anthropic: `${url}/anthropic/v1`,
    gemini: `${url}/gemini/v1beta`,
    dashscope: `${url}/dashscope/compatible-mode/v1`,
    ark: `${url}/ark/api/v3`,
    jina: `${url}/jina/v1`,
    kling: `${url}/kling`,
    vidu: `${url}/vidu`,
    minimax: `${url}/minimax`,
    jimeng: `${url}/jimeng`,
  };
}
