import { type ChannelConfig, type KnownProvider, readChannels } from "#config/channels.ts";
import { type Environment, findVariable } from "#config/expand.ts";
import { openConfigFile, type ReadFile } from "#config/file.ts";
import { currentPaths, type FormerName, underCurrentNames } from "#config/former-names.ts";
import { findSettings } from "#config/find-settings.ts";
import { readNode, readText } from "#config/form.ts";
import { callsAtOnce, requestsPerMinute, tokensPerMinute } from "#config/limits.ts";
import { type KeyConfig, readKeys, usd } from "#config/keys.ts";
import { ConfigError, type Mistake, type Place, type Report } from "#config/mistakes.ts";
import { findMisspelt, type Misspelt } from "#config/misspelt-variables.ts";
import { type ModelOverride, readModels } from "#config/models.ts";
import * as take from "#config/parsers.ts";
import {
  apiKey,
  clientSecret,
  countersUrl,
  databaseUrl,
  password,
  pepper,
  proxyUrl,
} from "#config/secrets.ts";
import { countEdits, didYouMean } from "#config/suggest.ts";
import type { FileNode } from "#config/tree.ts";
import { MEDIA_PLACES } from "#core/kept-media.ts";
import { SECOND_FACTOR_RULES } from "#core/second-factor.ts";
import type { Onset } from "#core/setting.ts";

const { DAY_MS, HOUR_MS, MIB, MINUTE_MS, SECOND_MS } = take;
const bytes = take.size(take.KIB, take.GIB);
const wait = take.duration(1, HOUR_MS);
const count = take.wholeNumber(1, 1_000_000);

/** How much there may be of everything: `limits.*` of the file and `SLUICE_LIMIT_*`. */
export const LIMITS = {
  bodyBytes: limit("body_bytes", bytes, 32 * MIB, "Body of a request.", "restart"),
  mediaBodyBytes: limit(
    "media_body_bytes",
    bytes,
    64 * MIB,
    "The same where media is expected.",
    "restart",
  ),
  jsonDepth: limit("json_depth", take.wholeNumber(8, 512), 64, "How deep a JSON body may nest."),
  messages: limit("messages", take.wholeNumber(1, 100_000), 5_000, "Messages of a request."),
  eventBytes: limit(
    "event_bytes",
    bytes,
    4 * MIB,
    "One event of a stream, but for those of models that draw.",
  ),
  answerBytes: limit(
    "answer_bytes",
    bytes,
    64 * MIB,
    "An upstream's answer outside streams, and an event that may hold a picture.",
  ),
  connectMs: limit("connect_ms", wait, 3 * SECOND_MS, "Until an upstream is connected."),
  firstByteMs: limit("first_byte_ms", wait, MINUTE_MS, "Until a stream's first byte."),
  unaryMs: limit("unary_ms", take.duration(1, DAY_MS), 10 * MINUTE_MS, "Until a whole answer."),
  idleMs: limit("idle_ms", wait, MINUTE_MS, "Silence within a stream."),
  totalMs: limit("total_ms", take.duration(1, 7 * DAY_MS), HOUR_MS, "A call, start to end."),
  callerStallMs: limit("caller_stall_ms", wait, 2 * MINUTE_MS, "Until a caller reads on."),
  bufferedBytes: limit(
    "buffered_bytes",
    take.size(take.KIB, 64 * take.GIB),
    256 * MIB,
    "Streamed answers that wait for slow readers, all of them together.",
  ),
  attempts: limit("attempts", take.wholeNumber(1, 20), 3, "Tries for one call, on all channels."),
  continuations: limit(
    "continuations",
    take.wholeNumber(0, 100),
    32,
    "Further requests for one answer that a vendor gives in several; 0 ends it with the first.",
  ),
  inFlight: limit("in_flight", count, 10_000, "Calls at once."),
  channelInFlight: limit(
    "channel_in_flight",
    count,
    5_000,
    "Calls at once on one channel.",
    "never",
  ),
  bigBodies: limit(
    "big_bodies",
    take.wholeNumber(1, 1_000),
    8,
    "Bodies over 1 MiB read at once.",
    "restart",
  ),
  ledgerQueue: limit(
    "ledger_queue",
    count,
    10_000,
    "Ledger entries that wait to be written.",
    "never",
  ),
  keptAnswerBytes: limit("kept_answer_bytes", bytes, 8 * MIB, "An answer kept to be repeated."),
  keptUserBytes: limit("kept_user_bytes", bytes, 256 * MIB, "All kept answers of one user."),
  linkBytes: limit("link_bytes", bytes, 20 * MIB, "What is behind one link that is followed."),
  picturePixels: limit(
    "picture_pixels",
    take.wholeNumber(1_000, 268_000_000),
    64_000_000,
    "Pixels of a picture that a caller gives.",
  ),
  mediaBytes: limit(
    "media_bytes",
    take.size(take.KIB, 64 * take.GIB),
    take.GIB,
    "One file of a video that is handed over or copied.",
  ),
  downloads: limit("downloads", count, 256, "Files of videos handed over at once."),
  keyDownloads: limit("key_downloads", count, 16, "The same for one key."),
  tasks: limit("tasks", count, 20_000, "Unfinished videos in the hands of one gateway."),
  taskPolls: formerly(
    "task_looks",
    limit("task_polls", take.wholeNumber(1, 10_000), 32, "Concurrent polls of tasks per channel."),
  ),
  assetGroups: limit("asset_groups", count, 1_000, "Asset groups of one user."),
  assetBytes: limit(
    "asset_bytes",
    take.size(take.KIB, 1_024 * take.GIB),
    4 * take.GIB,
    "Files of assets that are kept here, of one user.",
  ),
  assets: limit("assets", count, 10_000, "Assets of one user."),
  linkMs: limit("link_ms", wait, 20 * SECOND_MS, "To follow one link to its end."),
  keySockets: limit("key_sockets", count, 64, "WebSockets of one key at once."),
  socketMs: limit(
    "socket_ms",
    take.duration(1, DAY_MS),
    HOUR_MS,
    "A WebSocket, start to end; what runs then is finished.",
  ),
  socketIdleMs: limit(
    "socket_idle_ms",
    take.duration(1, DAY_MS),
    10 * MINUTE_MS,
    "A WebSocket on which nothing is asked or answered.",
  ),
  socketLanes: limit(
    "socket_lanes",
    take.wholeNumber(1, 1_000),
    8,
    "Responses at once on one WebSocket, each in a lane of its own.",
  ),
  socketStateBytes: limit(
    "socket_state_bytes",
    bytes,
    16 * MIB,
    "Conversations that one WebSocket keeps to go on from, all of them together.",
  ),
  keysPerUser: limit("keys_per_user", count, 1_000, "Keys of one user."),
  drainDelayMs: limit(
    "drain_delay_ms",
    take.duration(0, HOUR_MS),
    undefined,
    "How long new calls are accepted after a stop signal, while `/readyz` is 503; 5s in a container and 0 elsewhere, if not set.",
    "never",
  ),
  drainMs: limit("drain_ms", take.duration(0, HOUR_MS), 2 * MINUTE_MS, "To finish when stopping."),
} satisfies Table;

/** Every other setting. */
export const SETTINGS = {
  host: setting({
    env: "SLUICE_HOST",
    path: "host",
    parser: take.host,
    default: "127.0.0.1",
    doc: "Address to listen on; `0.0.0.0` or `::` for all that the machine has.",
  }),
  port: setting({
    env: "SLUICE_PORT",
    path: "port",
    parser: take.port,
    default: 8080,
    doc: "Port to listen on; 0 for any that is free.",
  }),
  dataDir: setting({
    env: "SLUICE_DATA_DIR",
    path: "data_dir",
    parser: take.filePath,
    default: "./data",
    doc: "Folder for what the gateway keeps: its database, media and own secrets.",
  }),
  configPath: setting({
    env: "SLUICE_CONFIG",
    parser: take.filePath,
    default: undefined,
    doc: "The file to read; without it, `sluice.yaml` where there is one.",
  }),
  bootstrapKey: setting({
    env: "SLUICE_BOOTSTRAP_KEY",
    path: "bootstrap_key",
    parser: apiKey,
    default: undefined,
    doc: "An API key that exists from the first start.",
  }),
  databaseUrl: setting({
    env: "DATABASE_URL",
    path: "database_url",
    parser: databaseUrl,
    default: undefined,
    doc: "PostgreSQL, for several gateways on one database; without it, a file in the data folder.",
  }),
  redisUrl: setting({
    env: "REDIS_URL",
    path: "redis_url",
    parser: countersUrl,
    default: undefined,
    doc: "Valkey or Redis, where several gateways count rate limits and failed logins together, and remember which account answered a conversation; without it, each for itself.",
  }),
  secret: setting({
    env: "SLUICE_SECRET",
    path: "secret",
    parser: pepper,
    default: undefined,
    doc: "Mixed into the digests of keys, and opens stored credentials: the same for all gateways on one database.",
  }),
  adminEmail: setting({
    env: "SLUICE_ADMIN_EMAIL",
    path: "admin.email",
    parser: take.text("an e-mail address", /^[^\s@\p{C}]{1,64}@[^\s@\p{C}]{1,189}$/u),
    default: undefined,
    doc: "Login of the root account, taken up while it has none; without it a start prints how to make one.",
  }),
  adminPassword: setting({
    env: "SLUICE_ADMIN_PASSWORD",
    path: "admin.password",
    parser: password,
    default: undefined,
    doc: "The password to it.",
  }),
  secondFactorRule: setting({
    env: "SLUICE_REQUIRE_SECOND_FACTOR",
    path: "users.require_second_factor",
    parser: take.choice(...SECOND_FACTOR_RULES),
    default: "none",
    doc: "Whose logins open nothing until a second factor is set up.",
    stored: "at once",
  }),
  publicUrl: setting({
    env: "SLUICE_PUBLIC_URL",
    path: "public_url",
    parser: take.baseUrl,
    default: undefined,
    doc: "Where browsers reach the gateway; an identity provider sends them back there.",
  }),
  pathAliases: setting({
    env: "SLUICE_PATH_ALIASES",
    path: "path_aliases",
    parser: take.list(
      take.pathAlias,
      100,
      "pairs such as /films=/videoa, with commas between them",
    ),
    default: [
      { from: "/seedance", to: "/videoa" },
      { from: "/jimeng", to: "/videob" },
      { from: "/vidu", to: "/videoc" },
      { from: "/minimax", to: "/videod" },
      { from: "/kling", to: "/videoe" },
    ],
    doc: "Prefixes under which paths answer that begin with another: the new one first. What is said takes the place of the defaults.",
  }),
  oidcIssuer: setting({
    env: "SLUICE_OIDC_ISSUER",
    path: "oidc.issuer",
    parser: take.baseUrl,
    default: undefined,
    doc: "The identity provider of single sign-on, as it writes itself.",
  }),
  oidcClientId: setting({
    env: "SLUICE_OIDC_CLIENT_ID",
    path: "oidc.client_id",
    parser: take.text("a client id of 1 to 255 visible ASCII characters", /^[\x21-\x7e]{1,255}$/),
    default: undefined,
    doc: "What it knows the gateway by.",
  }),
  oidcClientSecret: setting({
    env: "SLUICE_OIDC_CLIENT_SECRET",
    path: "oidc.client_secret",
    parser: clientSecret,
    default: undefined,
    doc: "The secret to it.",
  }),
  oidcName: setting({
    env: "SLUICE_OIDC_NAME",
    path: "oidc.name",
    parser: take.text("1 to 50 visible characters", /^[^\p{C}]{1,50}$/u),
    default: "Single sign-on",
    doc: "What the button to it says.",
  }),
  oidcDomains: setting({
    env: "SLUICE_OIDC_DOMAINS",
    path: "oidc.domains",
    parser: take.list(take.domain, 100, "domains of e-mail addresses, with commas between them"),
    default: [],
    doc: "Whose verified addresses may log in for the first time; any where there are none.",
  }),
  oidcNewUsers: setting({
    env: "SLUICE_OIDC_NEW_USERS",
    path: "oidc.new_users",
    parser: take.choice("refuse", "create"),
    default: "refuse",
    doc: "What happens on a first login to somebody who has no account.",
  }),
  oidcRole: setting({
    env: "SLUICE_OIDC_ROLE",
    path: "oidc.role",
    parser: take.choice("user", "auditor"),
    default: "user",
    doc: "What a user is who was made so.",
  }),
  oidcQuota: setting({
    env: "SLUICE_OIDC_QUOTA",
    path: "oidc.quota",
    parser: usd,
    default: undefined,
    doc: "What a user who was made so may spend in all; no bound where there is none.",
  }),
  oidcSecondFactor: setting({
    env: "SLUICE_OIDC_SECOND_FACTOR",
    path: "oidc.second_factor",
    parser: take.choice("ask", "trust"),
    default: "ask",
    doc: "`trust` takes a login there for a second factor, too, and asks for none here.",
  }),
  oidcNetworks: setting({
    env: "SLUICE_OIDC_ALLOW",
    path: "oidc.allow",
    parser: take.list(take.network, 100, "IP networks, with commas between them"),
    default: [],
    doc: "Networks that the identity provider may be in although they are not public.",
  }),
  trustedProxies: setting({
    env: "SLUICE_TRUSTED_PROXIES",
    path: "trusted_proxies",
    parser: take.list(take.network, 100, "IP networks, with commas between them"),
    default: [],
    doc: "Proxies in front that are believed in `X-Forwarded-For` and `X-Forwarded-Proto`.",
  }),
  upstreamProxy: setting({
    env: "HTTPS_PROXY",
    path: "proxy.url",
    parser: proxyUrl,
    default: undefined,
    doc: "An HTTP proxy through which upstreams are reached over TLS; what is on this machine or in private networks never is.",
  }),
  proxyExceptions: setting({
    env: "NO_PROXY",
    path: "proxy.except",
    parser: take.list(
      take.text("a name, an address or a network", /^[\x21-\x7e]{1,255}$/),
      1_000,
      "names, addresses and networks, with commas between them; `*` for all",
    ),
    default: [],
    doc: "Upstreams that are reached without it.",
  }),
  metricsToken: setting({
    env: "SLUICE_METRICS_TOKEN",
    path: "metrics_token",
    parser: apiKey,
    default: undefined,
    doc: "The Bearer token that `/metrics` asks for; open to all where there is none.",
  }),
  logLevel: setting({
    env: "SLUICE_LOG_LEVEL",
    path: "log_level",
    parser: take.choice("trace", "debug", "info", "warn", "error", "fatal", "silent"),
    default: "info",
    doc: "The least important messages to log.",
    stored: "at once",
  }),
  sandbox: setting({
    env: "SLUICE_SANDBOX",
    path: "sandbox",
    parser: take.choice("auto", "on", "off"),
    default: "auto",
    doc: "Whether the built-in simulator answers while no channel is configured; `auto`: only if `host` is a loopback address and there is no `database_url`.",
  }),
  unpriced: setting({
    env: "SLUICE_UNPRICED",
    path: "pricing.unpriced",
    parser: take.choice("allow", "warn", "refuse"),
    default: undefined,
    doc: "Calls of a model that has no price, which cost nothing: `warn` serves and logs them, `allow` serves them silently. If unset, they are refused if a quota or budget binds the call, and served with a warning otherwise.",
    stored: "at once",
  }),
  assumedOutputTokens: setting({
    env: "SLUICE_ASSUMED_OUTPUT_TOKENS",
    path: "pricing.assumed_output_tokens",
    parser: take.wholeNumber(1, 10_000_000),
    default: 4_096,
    doc: "Output that is reserved for a call that names no maximum.",
    stored: "at once",
  }),
  userRpm: setting({
    env: "SLUICE_USER_RPM",
    path: "users.rpm",
    parser: requestsPerMinute,
    default: undefined,
    doc: "Requests a minute of one user, with all keys together; no bound where there is none.",
    stored: "at once",
  }),
  userTpm: setting({
    env: "SLUICE_USER_TPM",
    path: "users.tpm",
    parser: tokensPerMinute,
    default: undefined,
    doc: "Tokens a minute of one user, with all keys together.",
    stored: "at once",
  }),
  userConcurrency: setting({
    env: "SLUICE_USER_CONCURRENCY",
    path: "users.concurrency",
    parser: callsAtOnce,
    default: undefined,
    doc: "Calls at once of one user, with all keys together.",
    stored: "at once",
  }),
  journalDays: setting({
    env: "SLUICE_JOURNAL_DAYS",
    path: "journal.retention_days",
    parser: take.wholeNumber(1, 3_650),
    default: 30,
    doc: "Days that the journal of calls is kept.",
    stored: "at once",
  }),
  usageDays: setting({
    env: "SLUICE_USAGE_DAYS",
    path: "usage.retention_days",
    parser: take.wholeNumber(1, 3_650),
    default: 400,
    doc: "Days that the sums of usage are kept.",
    stored: "at once",
  }),
  videoDays: setting({
    env: "SLUICE_VIDEO_DAYS",
    path: "videos.retention_days",
    parser: take.wholeNumber(1, 3_650),
    default: 30,
    doc: "Days after which finished videos are forgotten.",
    stored: "at once",
  }),
  mediaStore: setting({
    env: "SLUICE_MEDIA_STORE",
    path: "media.store",
    parser: take.choice("off", ...MEDIA_PLACES),
    default: "off",
    doc: "Where finished videos are copied to, so that they outlive their vendors' links.",
  }),
  mediaDays: setting({
    env: "SLUICE_MEDIA_DAYS",
    path: "media.retention_days",
    parser: take.wholeNumber(1, 3_650),
    default: 30,
    doc: "Days that copies of videos are kept; no longer than their videos are remembered.",
    stored: "at once",
  }),
  s3Endpoint: setting({
    env: "S3_ENDPOINT",
    path: "s3.endpoint",
    parser: take.baseUrl,
    default: undefined,
    doc: "The S3 store for copies; without it, Amazon's own.",
  }),
  s3Region: setting({
    env: "S3_REGION",
    path: "s3.region",
    parser: take.text("a region of 1 to 64 letters, digits and dashes", /^[A-Za-z0-9-]{1,64}$/),
    default: "us-east-1",
    doc: "Its region.",
  }),
  s3Bucket: setting({
    env: "S3_BUCKET",
    path: "s3.bucket",
    parser: take.text(
      "a bucket's name of 3 to 63 characters",
      /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
    ),
    default: undefined,
    doc: "The bucket there.",
  }),
  s3KeyId: setting({
    env: "S3_ACCESS_KEY_ID",
    path: "s3.access_key_id",
    parser: take.text("1 to 128 visible ASCII characters", /^[\x21-\x7e]{1,128}$/),
    default: undefined,
    doc: "What the store knows the gateway by.",
  }),
  s3Secret: setting({
    env: "S3_SECRET_ACCESS_KEY",
    path: "s3.secret_access_key",
    parser: clientSecret,
    default: undefined,
    doc: "The secret to it.",
  }),
  checkpointMs: setting({
    env: "SLUICE_CHECKPOINT_MS",
    path: "ledger.checkpoint_ms",
    parser: take.duration(10, HOUR_MS),
    default: 2 * SECOND_MS,
    doc: "How often the ledger notes what a running call has delivered, in case of a crash.",
    stored: "at once",
  }),
  imageShape: setting({
    env: "SLUICE_IMAGES_SHAPE",
    path: "images.shape",
    parser: take.choice("auto", "envelope", "openai"),
    default: "auto",
    doc: "How `/v1/images/generations` answers; `auto` goes by who the caller shows itself to be.",
    stored: "at once",
  }),
  linkNetworks: setting({
    env: "SLUICE_LINKS_ALLOW",
    path: "links.allow",
    parser: take.list(take.network, 100, "IP networks, with commas between them"),
    default: [],
    doc: "Networks that links of callers may lead into although they are not public.",
    stored: "at once",
  }),
  linkPorts: setting({
    env: "SLUICE_LINKS_PORTS",
    path: "links.ports",
    parser: take.list(take.wholeNumber(1, 65_535), 100, "port numbers, with commas between them"),
    default: [80, 443],
    doc: "Ports that links of callers may name.",
    stored: "at once",
  }),
} satisfies Table;

/** One setting: where it may stand, what it takes, and what it is where nobody says. */
export interface Setting<T> {
  readonly env: string;
  /** In the file; absent where only the environment can say it. */
  readonly path?: string;
  readonly parser: take.Parser<T>;
  readonly default: T;
  readonly doc: string;
  /** It can be changed while the gateway runs, and then holds from when; absent where it cannot. */
  readonly stored?: Onset;
  /** Names that it had before; they still take effect, with a warning. */
  readonly formerly?: { readonly env: string; readonly path: string };
}

type Table = Readonly<Record<string, Setting<unknown>>>;
type Values<T extends Table> = { readonly [Name in keyof T]: T[Name]["default"] };

type Limits = Values<typeof LIMITS>;
export type Settings = Values<typeof SETTINGS> & { readonly limits: Limits };

export interface Config {
  readonly settings: Settings;
  readonly channels: readonly ChannelConfig[];
  readonly keys: readonly KeyConfig[];
  /** By the name that callers use. */
  readonly models: ReadonlyMap<string, ModelOverride>;
  /** By path in the file, or by variable for what has none; in the table's order. */
  readonly origins: ReadonlyMap<string, Origin>;
  /** Variables that do nothing, and resemble some that would. */
  readonly misspelt: readonly Misspelt[];
  /** Settings that were written under a former name. */
  readonly formerNames: readonly FormerName[];
}

export interface Origin {
  readonly from: Place | "default";
  /** Fit to be printed: a secret is `***`. */
  readonly shown: string;
}

export interface ConfigInput {
  readonly env: Environment;
  readonly readFile: ReadFile;
  readonly knownProviders: readonly KnownProvider[];
}

const DEFAULT_PATH = "sluice.yaml";
const SECTIONS = ["channels", "keys", "models"];
const MAX_MISTAKES = 1_000;
/** Without ours before them, slips in these are no mistakes: another program may mean them. */
const OTHERS = [SETTINGS.databaseUrl.env, SETTINGS.redisUrl.env];

/**
 * Reads all settings: the environment wins over the file, the file over the
 * defaults. An empty variable counts as unset. Throws one `ConfigError` with
 * everything that is wrong.
 */
export function loadConfig(input: ConfigInput): Config {
  const { env } = input;
  const mistakes: Mistake[] = [];
  const report: Report = (place, why) => {
    if (mistakes.length < MAX_MISTAKES) mistakes.push({ place, why });
  };

  const file = openConfigFile(SETTINGS.configPath.env, DEFAULT_PATH, input.readFile, env, report);
  const rows = listSettings();
  const paths = rows.flatMap((row) => row.path ?? []);
  const formerPaths = [...currentPaths(rows).keys()];
  const written = findSettings(file.root, [...paths, ...formerPaths], SECTIONS, report);
  const nodes = underCurrentNames(written, rows);
  const origins = new Map<string, Origin>();
  const read = (row: Setting<unknown>): unknown => readSetting(row, env, nodes, origins, report);
  const settings = {
    ...readTable(SETTINGS, read),
    configPath: file.path,
    limits: readTable(LIMITS, read),
  };
  origins.set(SETTINGS.configPath.env, { from: file.namedBy, shown: file.path ?? "none" });

  const section = (name: string): FileNode | undefined => file.root.members.get(name)?.node;
  const { channelInFlight } = settings.limits;
  const channels = readChannels(section("channels"), input.knownProviders, channelInFlight, report);
  const keys = readKeys(section("keys"), report);
  const models = readModels(section("models"), report);

  const isSaid = (row: Setting<unknown>): boolean =>
    textOf(row, env) !== "" || nodes.has(row.path ?? "");
  reportHalfLogin(isSaid, report);
  reportHalfSignOn(isSaid, report);
  reportHalfBucket(settings.mediaStore, isSaid, report);
  reportMistypedVariables(env, file.variables, report);
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  const known = [...input.knownProviders.flatMap((each) => each.keyVariable ?? []), ...OTHERS];
  const misspelt = findMisspelt(env, known, file.variables);
  const formerNames = findFormerNames(rows, env, written);
  return { settings, channels, keys, models, origins, misspelt, formerNames };
}

/** All rows, in the order in which people want to read them. */
export function listSettings(): readonly Setting<unknown>[] {
  return [...Object.values(SETTINGS), ...Object.values(LIMITS)];
}

function setting<const T>(row: Setting<T>): Setting<T> {
  return row;
}

function limit<T, D extends T | undefined = T>(
  name: string,
  parser: take.Parser<T>,
  fallback: D,
  doc: string,
  stored: Onset | "never" = "at once",
): Setting<T | D> {
  const env = `SLUICE_LIMIT_${name.toUpperCase()}`;
  const row = { env, path: `limits.${name}`, parser, default: fallback, doc };
  return stored === "never" ? row : { ...row, stored };
}

/** For a limit that had another name. */
function formerly<T>(name: string, row: Setting<T>): Setting<T> {
  return {
    ...row,
    formerly: { env: `SLUICE_LIMIT_${name.toUpperCase()}`, path: `limits.${name}` },
  };
}

/** What the environment says; a current name wins over a former one. */
function textOf({ env: name, formerly: former }: Setting<unknown>, env: Environment): string {
  const text = findVariable(env, name) ?? "";
  return text !== "" || former === undefined ? text : (findVariable(env, former.env) ?? "");
}

function findFormerNames(
  rows: readonly Setting<unknown>[],
  env: Environment,
  written: ReadonlyMap<string, FileNode>,
): readonly FormerName[] {
  return rows.flatMap(({ env: variable, path = variable, formerly: former }) => {
    if (former === undefined) return [];
    const isSet = (findVariable(env, former.env) ?? "") !== "";
    return [
      ...(isSet ? [{ written: former.env, now: variable }] : []),
      ...(written.has(former.path) ? [{ written: former.path, now: path }] : []),
    ];
  });
}

function readTable<T extends Table>(table: T, read: (row: Setting<unknown>) => unknown): Values<T> {
  const values = Object.entries(table).map(([name, row]) => [name, read(row)]);
  // Each row's parser makes what the row's type says; `fromEntries` forgets which is whose.
  return Object.fromEntries(values) as Values<T>;
}

/** What stands in the file is checked even where the environment wins. */
function readSetting<T>(
  row: Setting<T>,
  env: Environment,
  nodes: ReadonlyMap<string, FileNode>,
  origins: Map<string, Origin>,
  report: Report,
): T {
  const node = row.path === undefined ? undefined : nodes.get(row.path);
  const fromFile = readNode(node, row.parser, report);
  const place = { variable: row.env };
  const text = textOf(row, env);
  const fromEnv =
    text === "" ? undefined : readText({ text, written: text, place }, row.parser, report);

  const value = fromEnv ?? fromFile;
  const from = fromEnv === undefined ? (node?.place ?? "default") : place;
  const shown = value ?? row.default;
  origins.set(row.path ?? row.env, {
    from,
    shown: shown === undefined ? "none" : row.parser.format(shown),
  });
  return shown;
}

/** An address without a password, or the other way round, would be a login that does not exist. */
function reportHalfLogin(isSaid: (row: Setting<unknown>) => boolean, report: Report): void {
  const { adminEmail, adminPassword } = SETTINGS;
  if (isSaid(adminEmail) === isSaid(adminPassword)) return;
  const missing = isSaid(adminEmail) ? adminPassword : adminEmail;
  report({ variable: missing.env }, "is missing: the root account's login needs both.");
}

/** Nor does single sign-on work by halves. */
function reportHalfSignOn(isSaid: (row: Setting<unknown>) => boolean, report: Report): void {
  const { publicUrl, oidcIssuer, oidcClientId, oidcClientSecret } = SETTINGS;
  if (![oidcIssuer, oidcClientId, oidcClientSecret].some(isSaid)) return;
  for (const row of [oidcIssuer, oidcClientId, oidcClientSecret, publicUrl]) {
    if (!isSaid(row)) report({ variable: row.env }, "is missing: single sign-on needs it.");
  }
}

/** Variables of S3 may be there for somebody else; copies need all of them. */
function reportHalfBucket(
  place: Settings["mediaStore"],
  isSaid: (row: Setting<unknown>) => boolean,
  report: Report,
): void {
  const { s3Bucket, s3KeyId, s3Secret } = SETTINGS;
  if (place !== "s3") return;
  for (const row of [s3Bucket, s3KeyId, s3Secret]) {
    if (!isSaid(row)) report({ variable: row.env }, "is missing: copies in S3 need it.");
  }
}

/** A variable that is nearly one of ours, and that the file does not use, is most likely a slip. */
function reportMistypedVariables(
  env: Environment,
  used: ReadonlySet<string>,
  report: Report,
): void {
  const known = listSettings().map((row) => row.env);
  const former = listSettings().flatMap((row) => row.formerly?.env ?? []);
  for (const [variable, value] of Object.entries(env)) {
    if (value === undefined) continue;
    if (!variable.startsWith("SLUICE_") || known.includes(variable) || used.has(variable)) continue;
    if (former.includes(variable)) continue;
    const isNear = known.some((name) => countEdits(variable, name) <= 2);
    if (!isNear && !variable.startsWith("SLUICE_LIMIT_")) continue;
    report({ variable }, `The variable is not known here; ${didYouMean(variable, known)}`);
  }
}
