import { type ChannelConfig, readChannels } from "#config/channels.ts";
import type { KnownProvider } from "#config/documents/channel.ts";
import { type Environment, findVariable } from "#config/expand.ts";
import { openConfigFile, type ReadFile } from "#config/file.ts";
import { currentPaths, type FormerName, underCurrentNames } from "#config/former-names.ts";
import { findSettings } from "#config/find-settings.ts";

import { callsAtOnce, requestsPerMinute, tokensPerMinute } from "#config/documents/limits.ts";
import { type KeyConfig, readKeys } from "#config/keys.ts";
import { ConfigError, type Mistake, type Place, type Report } from "#config/mistakes.ts";
import { findMisspelt, type Misspelt } from "#config/misspelt-variables.ts";
import { type ModelOverride, readModels } from "#config/models.ts";
import * as take from "#config/parsers.ts";
import { linearPatterns } from "#config/patterns.ts";
import { readDocument, readText } from "#config/read-document.ts";
import {
  apiKey,
  clientSecret,
  countersUrl,
  databaseUrl,
  exportUrl,
  password,
  pepper,
  proxyUrl,
  secretHeaders,
  smtpUrl,
} from "#config/secrets.ts";
import { signOnRules } from "#config/sign-on-rules.ts";
import { countEdits, didYouMean } from "#config/suggest.ts";
import type { FileNode } from "#config/tree.ts";
import { CONTENT_LEVELS, REDACTION_KINDS } from "#core/content-log.ts";
import { MEDIA_PLACES } from "#core/kept-media.ts";
import { REGISTRATION_MODES } from "#core/registration.ts";
import { SECOND_FACTOR_RULES } from "#core/second-factor.ts";
import type { EffectTime } from "#core/setting.ts";

const { DAY_MS, HOUR_MS, MIB, MINUTE_MS, SECOND_MS } = take;
const bytes = take.size(take.KIB, take.GIB);
const wait = take.duration(1, HOUR_MS);
const count = take.wholeNumber(1, 1_000_000);

/** All limits: `limits.*` of the file and `SLUICE_LIMIT_*`. */
export const LIMITS = {
  bodyBytes: limit("body_bytes", bytes, 32 * MIB, "Maximum size of a request body.", "restart"),
  mediaBodyBytes: limit(
    "media_body_bytes",
    bytes,
    64 * MIB,
    "Maximum size of a request body that may contain media.",
    "restart",
  ),
  jsonDepth: limit(
    "json_depth",
    take.wholeNumber(8, 512),
    64,
    "Maximum nesting depth of a JSON request body.",
  ),
  messages: limit(
    "messages",
    take.wholeNumber(1, 100_000),
    5_000,
    "Maximum number of messages in one request.",
  ),
  eventBytes: limit(
    "event_bytes",
    bytes,
    4 * MIB,
    "Maximum size of one upstream stream event without images.",
  ),
  answerBytes: limit(
    "answer_bytes",
    bytes,
    64 * MIB,
    "Maximum size of a non-streaming upstream response, or of one stream event that carries an image.",
  ),
  connectMs: limit("connect_ms", wait, 3 * SECOND_MS, "Maximum time to connect to an upstream."),
  firstByteMs: limit(
    "first_byte_ms",
    wait,
    MINUTE_MS,
    "Maximum time to the first byte of an upstream stream.",
  ),
  unaryMs: limit(
    "unary_ms",
    take.duration(1, DAY_MS),
    10 * MINUTE_MS,
    "Maximum time to a complete non-streaming upstream response.",
  ),
  idleMs: limit(
    "idle_ms",
    wait,
    MINUTE_MS,
    "Maximum time between two chunks of an upstream stream.",
  ),
  totalMs: limit("total_ms", take.duration(1, 7 * DAY_MS), HOUR_MS, "Maximum duration of a call."),
  callerStallMs: limit(
    "caller_stall_ms",
    wait,
    2 * MINUTE_MS,
    "Maximum time that a client may stop reading a stream.",
  ),
  bufferedBytes: limit(
    "buffered_bytes",
    take.size(take.KIB, 64 * take.GIB),
    256 * MIB,
    "Maximum total size of stream data that is buffered for slow clients.",
  ),
  attempts: limit(
    "attempts",
    take.wholeNumber(1, 20),
    3,
    "Maximum number of attempts per call, on all channels together.",
  ),
  continuations: limit(
    "continuations",
    take.wholeNumber(0, 100),
    32,
    "Maximum number of follow-up requests if a vendor splits one response into several; 0 returns only the first.",
  ),
  inFlight: limit("in_flight", count, 10_000, "Maximum number of concurrent calls."),
  channelInFlight: limit(
    "channel_in_flight",
    count,
    5_000,
    "Default maximum number of concurrent calls per channel.",
    "never",
  ),
  bigBodies: limit(
    "big_bodies",
    take.wholeNumber(1, 1_000),
    8,
    "Maximum number of request bodies over 1 MiB that are read concurrently.",
    "restart",
  ),
  ledgerQueue: limit(
    "ledger_queue",
    count,
    10_000,
    "Maximum number of queued ledger entries.",
    "never",
  ),
  keptAnswerBytes: limit(
    "kept_answer_bytes",
    bytes,
    8 * MIB,
    "Maximum size of one response stored for an idempotency key.",
  ),
  contentLogBytes: limit(
    "content_log_bytes",
    take.size(take.KIB, 16 * MIB),
    MIB,
    "Maximum size of a request, and of an answer, in the content log.",
  ),
  contentLogBufferBytes: limit(
    "content_log_buffer_bytes",
    bytes,
    64 * MIB,
    "Maximum total size of requests and answers that wait to be written to the content log.",
  ),
  otelContentBytes: limit(
    "otel_content_bytes",
    take.size(take.KIB, 4 * MIB),
    64 * take.KIB,
    "Maximum size of each attribute of a trace that contains messages, instructions or tools.",
  ),
  keptUserBytes: limit(
    "kept_user_bytes",
    bytes,
    256 * MIB,
    "Maximum total size of one user's responses stored for idempotency keys.",
  ),
  linkBytes: limit(
    "link_bytes",
    bytes,
    20 * MIB,
    "Maximum size of a file behind a media link in a request.",
  ),
  picturePixels: limit(
    "picture_pixels",
    take.wholeNumber(1_000, 268_000_000),
    64_000_000,
    "Maximum number of pixels of an input image.",
  ),
  mediaBytes: limit(
    "media_bytes",
    take.size(take.KIB, 64 * take.GIB),
    take.GIB,
    "Maximum size of one video file that is downloaded or copied.",
  ),
  downloads: limit("downloads", count, 256, "Maximum number of concurrent video file downloads."),
  keyDownloads: limit(
    "key_downloads",
    count,
    16,
    "Maximum number of concurrent video file downloads per API key.",
  ),
  tasks: limit("tasks", count, 20_000, "Maximum number of unfinished video tasks per gateway."),
  taskLeaseMs: limit(
    "task_lease_ms",
    take.duration(5 * SECOND_MS, HOUR_MS),
    30 * SECOND_MS,
    "Time after which other gateways take over the video tasks of a gateway that stopped responding.",
    "restart",
  ),
  taskPolls: formerly(
    "task_looks",
    limit(
      "task_polls",
      take.wholeNumber(1, 10_000),
      32,
      "Maximum number of concurrent task polls per channel.",
    ),
  ),
  assetGroups: limit("asset_groups", count, 1_000, "Maximum number of asset groups per user."),
  assetBytes: limit(
    "asset_bytes",
    take.size(take.KIB, 1_024 * take.GIB),
    4 * take.GIB,
    "Maximum total size of one user's asset files that the gateway stores.",
  ),
  assets: limit("assets", count, 10_000, "Maximum number of assets per user."),
  linkMs: limit(
    "link_ms",
    wait,
    20 * SECOND_MS,
    "Maximum time to download a file behind a media link in a request.",
  ),
  keySockets: limit(
    "key_sockets",
    count,
    64,
    "Maximum number of concurrent WebSockets per API key.",
  ),
  socketMs: limit(
    "socket_ms",
    take.duration(1, DAY_MS),
    HOUR_MS,
    "Maximum duration of a WebSocket; running responses are still completed.",
  ),
  socketIdleMs: limit(
    "socket_idle_ms",
    take.duration(1, DAY_MS),
    10 * MINUTE_MS,
    "Maximum idle time of a WebSocket.",
  ),
  socketLanes: limit(
    "socket_lanes",
    take.wholeNumber(1, 1_000),
    8,
    "Maximum number of concurrent responses on one WebSocket.",
  ),
  socketStateBytes: limit(
    "socket_state_bytes",
    bytes,
    16 * MIB,
    "Maximum total size of the conversations that one WebSocket keeps for continuation.",
  ),
  alertMs: limit(
    "alert_ms",
    take.duration(100, HOUR_MS),
    15 * SECOND_MS,
    "Time between two evaluations of the alert rules.",
  ),
  keysPerUser: limit("keys_per_user", count, 1_000, "Maximum number of API keys per user."),
  accessTokensPerUser: limit(
    "access_tokens_per_user",
    count,
    100,
    "Maximum number of access tokens per user.",
  ),
  keyOverlapMs: limit(
    "key_overlap_ms",
    take.duration(0, 365 * DAY_MS),
    30 * DAY_MS,
    "Maximum time for which the old secret of a rotated API key still works.",
  ),
  serviceAccountsPerTeam: limit(
    "service_accounts_per_team",
    count,
    100,
    "Maximum number of service accounts per team.",
  ),
  drainDelayMs: limit(
    "drain_delay_ms",
    take.duration(0, HOUR_MS),
    undefined,
    "Time after a stop signal during which new calls are accepted and `/readyz` returns 503. If unset: 5s in a container, 0 elsewhere.",
    "never",
  ),
  drainMs: limit(
    "drain_ms",
    take.duration(0, HOUR_MS),
    2 * MINUTE_MS,
    "Maximum time for running calls to finish at shutdown.",
  ),
} satisfies Table;

/** All settings except limits. */
export const SETTINGS = {
  host: setting({
    env: "SLUICE_HOST",
    path: "host",
    parser: take.host,
    default: "127.0.0.1",
    doc: "Address to listen on; `0.0.0.0` or `::` for all addresses of the machine.",
  }),
  port: setting({
    env: "SLUICE_PORT",
    path: "port",
    parser: take.port,
    default: 8080,
    doc: "Port to listen on; 0 for any free port.",
  }),
  workers: setting({
    env: "SLUICE_WORKERS",
    path: "workers",
    parser: take.workers,
    default: 1,
    doc: "Number of processes that share the port and the work, on Linux and with PostgreSQL only; `auto` for one per core.",
  }),
  dataDir: setting({
    env: "SLUICE_DATA_DIR",
    path: "data_dir",
    parser: take.filePath,
    default: "./data",
    doc: "Folder for the gateway's data: the SQLite database, media copies and generated secrets.",
  }),
  configPath: setting({
    env: "SLUICE_CONFIG",
    parser: take.filePath,
    default: undefined,
    doc: "Path of the configuration file. If unset, `sluice.yaml` is read if it exists.",
  }),
  bootstrapKey: setting({
    env: "SLUICE_BOOTSTRAP_KEY",
    path: "bootstrap_key",
    parser: apiKey,
    default: undefined,
    doc: "API key that is created at the first start.",
  }),
  databaseUrl: setting({
    env: "DATABASE_URL",
    path: "database_url",
    parser: databaseUrl,
    default: undefined,
    doc: "URL of a PostgreSQL database, which several gateways can share. If unset, the gateway uses SQLite in the data folder.",
  }),
  redisUrl: setting({
    env: "REDIS_URL",
    path: "redis_url",
    parser: countersUrl,
    default: undefined,
    doc: "URL of a Valkey or Redis server through which several gateways share rate limits, failed logins, the account that answered each conversation, and its reasoning. If unset, each gateway keeps its own.",
  }),
  secret: setting({
    env: "SLUICE_SECRET",
    path: "secret",
    parser: pepper,
    default: undefined,
    doc: "Secret for API key digests and for encrypting stored credentials. Must be equal on all gateways that share a database.",
  }),
  adminEmail: setting({
    env: "SLUICE_ADMIN_EMAIL",
    path: "admin.email",
    parser: take.text("an e-mail address", /^[^\s@\p{C}]{1,64}@[^\s@\p{C}]{1,189}$/u),
    default: undefined,
    doc: "Email address of the root account's login; used only while the account has no login. If unset, each start prints a set-up command until the login exists.",
  }),
  adminPassword: setting({
    env: "SLUICE_ADMIN_PASSWORD",
    path: "admin.password",
    parser: password,
    default: undefined,
    doc: "Password of the root account, set together with `admin.email`.",
  }),
  secondFactorRule: setting({
    env: "SLUICE_REQUIRE_SECOND_FACTOR",
    path: "users.require_second_factor",
    parser: take.choice(...SECOND_FACTOR_RULES),
    default: "none",
    doc: "Users who must set up a second factor before their login gives access.",
    stored: "at once",
  }),
  publicUrl: setting({
    env: "SLUICE_PUBLIC_URL",
    path: "public_url",
    parser: take.baseUrl,
    default: undefined,
    doc: "Public URL of the gateway for browsers; the identity provider redirects logins to it.",
  }),
  pathAliases: setting({
    env: "SLUICE_PATH_ALIASES",
    path: "path_aliases",
    parser: take.list(take.pathAlias, 100, "pairs such as /films=/videoa, separated by commas"),
    default: [
      { from: "/seedance", to: "/videoa" },
      { from: "/jimeng", to: "/videob" },
      { from: "/vidu", to: "/videoc" },
      { from: "/minimax", to: "/videod" },
      { from: "/kling", to: "/videoe" },
    ],
    doc: "Path aliases: requests below the first prefix are served as if below the second. A value replaces all defaults.",
  }),
  oidcIssuer: setting({
    env: "SLUICE_OIDC_ISSUER",
    path: "oidc.issuer",
    parser: take.baseUrl,
    default: undefined,
    doc: "Issuer URL of the OpenID Connect provider for single sign-on, exactly as the provider publishes it.",
  }),
  oidcClientId: setting({
    env: "SLUICE_OIDC_CLIENT_ID",
    path: "oidc.client_id",
    parser: take.text("a client id of 1 to 255 visible ASCII characters", /^[\x21-\x7e]{1,255}$/),
    default: undefined,
    doc: "OAuth client id of the gateway at the identity provider.",
  }),
  oidcClientSecret: setting({
    env: "SLUICE_OIDC_CLIENT_SECRET",
    path: "oidc.client_secret",
    parser: clientSecret,
    default: undefined,
    doc: "OAuth client secret of the gateway at the identity provider.",
  }),
  oidcName: setting({
    env: "SLUICE_OIDC_NAME",
    path: "oidc.name",
    parser: take.text("1 to 50 visible characters", /^[^\p{C}]{1,50}$/u),
    default: "Single sign-on",
    doc: "Label of the single sign-on button on the login page.",
  }),
  oidcDomains: setting({
    env: "SLUICE_OIDC_DOMAINS",
    path: "oidc.domains",
    parser: take.list(take.domain, 100, "domains of e-mail addresses, separated by commas"),
    default: [],
    doc: "Email domains whose verified addresses may log in for the first time; any if empty.",
  }),
  oidcNewUsers: setting({
    env: "SLUICE_OIDC_NEW_USERS",
    path: "oidc.new_users",
    parser: take.choice("refuse", "create"),
    default: "refuse",
    doc: "Handling of a single sign-on login without an account: refuse it, or create a user.",
  }),
  oidcRole: setting({
    env: "SLUICE_OIDC_ROLE",
    path: "oidc.role",
    parser: take.choice("user", "auditor"),
    default: "user",
    doc: "Role of users created by single sign-on.",
  }),
  oidcQuota: setting({
    env: "SLUICE_OIDC_QUOTA",
    path: "oidc.quota",
    parser: take.usd,
    default: undefined,
    doc: "Total quota in USD of each user created by single sign-on; unlimited if unset.",
  }),
  oidcScopes: setting({
    env: "SLUICE_OIDC_SCOPES",
    path: "oidc.scopes",
    parser: take.text(
      "scopes separated by spaces, with openid first",
      /^openid(?: [\x21\x23-\x5b\x5d-\x7e]{1,100}){0,20}$/,
    ),
    default: "openid email profile",
    doc: "Scopes that the gateway asks the identity provider for; some providers need one more for groups.",
  }),
  oidcRules: setting({
    env: "SLUICE_OIDC_RULES",
    path: "oidc.rules",
    parser: signOnRules,
    default: [],
    doc: "Rules that give role, team and group by the claims of each single sign-on login.",
    stored: "at once",
  }),
  oidcSecondFactor: setting({
    env: "SLUICE_OIDC_SECOND_FACTOR",
    path: "oidc.second_factor",
    parser: take.choice("ask", "trust"),
    default: "ask",
    doc: "Second factor after single sign-on: `ask` requires the gateway's own, `trust` relies on the identity provider.",
  }),
  oidcNetworks: setting({
    env: "SLUICE_OIDC_ALLOW",
    path: "oidc.allow",
    parser: take.list(take.network, 100, "IP networks, separated by commas"),
    default: [],
    doc: "Non-public networks in which the identity provider may be reached.",
  }),
  mailUrl: setting({
    env: "SLUICE_MAIL_SMTP_URL",
    path: "mail.smtp_url",
    parser: smtpUrl,
    default: undefined,
    doc: "Mail server: `smtps://` uses TLS from the start, `smtp://` requires STARTTLS, `smtp://host:25?tls=off` uses none. If unset, the gateway sends no mail.",
  }),
  mailFrom: setting({
    env: "SLUICE_MAIL_FROM",
    path: "mail.from",
    parser: take.mailSender,
    default: undefined,
    doc: "Sender of the gateway's mail, set together with `mail.smtp_url`.",
  }),
  registrationMode: setting({
    env: "SLUICE_REGISTRATION",
    path: "registration.mode",
    parser: take.choice(...REGISTRATION_MODES),
    default: "off",
    doc: "Self-registration: `mail` confirms each address by a link, `open` takes a name and a password without an address.",
    stored: "at once",
  }),
  registrationDomains: setting({
    env: "SLUICE_REGISTRATION_DOMAINS",
    path: "registration.domains",
    parser: take.list(take.domain, 100, "domains of e-mail addresses, separated by commas"),
    default: [],
    doc: "Email domains whose addresses may register with `registration.mode: mail`; any if empty.",
    stored: "at once",
  }),
  registrationGroup: setting({
    env: "SLUICE_REGISTRATION_GROUP",
    path: "registration.group",
    parser: take.text("the name of a group", /^(?! )[^\p{C}]{1,100}(?<! )$/u),
    default: undefined,
    doc: "Name of the group of users who register; none if unset.",
    stored: "at once",
  }),
  registrationQuota: setting({
    env: "SLUICE_REGISTRATION_QUOTA",
    path: "registration.quota",
    parser: take.usd,
    default: undefined,
    doc: "Total quota in USD of each user who registers; unlimited if unset.",
    stored: "at once",
  }),
  registrationDayBudget: setting({
    env: "SLUICE_REGISTRATION_BUDGET_DAY",
    path: "registration.budget_day",
    parser: take.usd,
    default: undefined,
    doc: "Budget in USD per day of each user who registers; unlimited if unset.",
    stored: "at once",
  }),
  registrationMonthBudget: setting({
    env: "SLUICE_REGISTRATION_BUDGET_MONTH",
    path: "registration.budget_month",
    parser: take.usd,
    default: undefined,
    doc: "Budget in USD per month of each user who registers; unlimited if unset.",
    stored: "at once",
  }),
  trustedProxies: setting({
    env: "SLUICE_TRUSTED_PROXIES",
    path: "trusted_proxies",
    parser: take.list(take.network, 100, "IP networks, separated by commas"),
    default: [],
    doc: "Reverse proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` headers are trusted.",
  }),
  upstreamProxy: setting({
    env: "HTTPS_PROXY",
    path: "proxy.url",
    parser: proxyUrl,
    default: undefined,
    doc: "HTTP proxy for TLS connections to upstreams; never used for this machine or private networks.",
  }),
  proxyExceptions: setting({
    env: "NO_PROXY",
    path: "proxy.except",
    parser: take.list(
      take.text("a name, an address or a network", /^[\x21-\x7e]{1,255}$/),
      1_000,
      "names, addresses and networks, separated by commas; `*` for all",
    ),
    default: [],
    doc: "Upstreams that are reached without the HTTP proxy.",
  }),
  metricsToken: setting({
    env: "SLUICE_METRICS_TOKEN",
    path: "metrics_token",
    parser: apiKey,
    default: undefined,
    doc: "Bearer token required for `/metrics`; open to everyone if unset.",
  }),
  logLevel: setting({
    env: "SLUICE_LOG_LEVEL",
    path: "log_level",
    parser: take.choice("trace", "debug", "info", "warn", "error", "fatal", "silent"),
    default: "info",
    doc: "Minimum level of log messages.",
    stored: "at once",
  }),
  accessLog: setting({
    env: "SLUICE_ACCESS_LOG",
    path: "access_log.to",
    parser: take.logPlace,
    default: "off",
    doc: "Access log with one line of JSON per call, without any text of it: `off`, `stdout`, or the path of a file.",
  }),
  accessLogBytes: setting({
    env: "SLUICE_ACCESS_LOG_BYTES",
    path: "access_log.max_bytes",
    parser: take.size(64 * take.KIB, 64 * take.GIB),
    default: 64 * MIB,
    doc: "Size at which the access log's file is renamed and a new one begins.",
  }),
  accessLogFiles: setting({
    env: "SLUICE_ACCESS_LOG_FILES",
    path: "access_log.files",
    parser: take.wholeNumber(1, 1_000),
    default: 5,
    doc: "Number of full files of the access log that are kept besides the current one.",
  }),
  otelEndpoint: setting({
    env: "OTEL_EXPORTER_OTLP_ENDPOINT",
    path: "otel.endpoint",
    parser: take.baseUrl,
    default: undefined,
    doc: "URL of an OpenTelemetry collector that takes OTLP over HTTP, such as http://127.0.0.1:4318; nothing is sent if unset.",
  }),
  otelHeaders: setting({
    env: "OTEL_EXPORTER_OTLP_HEADERS",
    path: "otel.headers",
    parser: secretHeaders,
    default: undefined,
    doc: "Headers for the collector, such as its credential, as `name=value` pairs separated by commas.",
  }),
  otelSignals: setting({
    env: "SLUICE_OTEL_SIGNALS",
    path: "otel.signals",
    parser: take.list(
      take.choice("traces", "metrics", "logs"),
      3,
      "some of traces, metrics and logs, separated by commas",
    ),
    default: ["traces", "metrics", "logs"],
    doc: "Telemetry that is sent to the collector.",
  }),
  otelServiceName: setting({
    env: "OTEL_SERVICE_NAME",
    path: "otel.service_name",
    parser: take.text("1 to 255 visible characters", /^[^\p{C}]{1,255}$/u),
    default: "sluice",
    doc: "Value of `service.name` in telemetry.",
  }),
  otelResource: setting({
    env: "OTEL_RESOURCE_ATTRIBUTES",
    path: "otel.resource",
    parser: take.namedValues,
    default: {},
    doc: "More attributes of the gateway in telemetry, as `name=value` pairs separated by commas.",
  }),
  otelSampleRatio: setting({
    env: "OTEL_TRACES_SAMPLER_ARG",
    path: "otel.sample_ratio",
    parser: take.ratio,
    default: 1,
    doc: "Part of the traces that is sent; a client that sends a `traceparent` decides for its own.",
  }),
  otelMetricIntervalMs: setting({
    env: "OTEL_METRIC_EXPORT_INTERVAL",
    path: "otel.metric_interval_ms",
    parser: take.duration(100, HOUR_MS),
    default: MINUTE_MS,
    doc: "Interval at which metrics are sent to the collector.",
  }),
  otelPropagate: setting({
    env: "SLUICE_OTEL_PROPAGATE",
    path: "otel.propagate",
    parser: take.choice("off", "on"),
    default: "off",
    doc: "Whether requests to upstreams have a `traceparent` header.",
  }),
  otelContent: setting({
    env: "SLUICE_OTEL_CONTENT",
    path: "otel.content",
    parser: take.choice("off", "on"),
    default: "off",
    doc: "Whether traces contain prompts and answers, redacted as in the content log, of calls for which the content log is on.",
  }),
  otelDisabled: setting({
    env: "OTEL_SDK_DISABLED",
    path: "otel.disabled",
    parser: take.choice("true", "false"),
    default: "false",
    doc: "Sends nothing to the collector, although its URL is set.",
  }),
  statusPage: setting({
    env: "SLUICE_STATUS_PAGE",
    path: "status_page",
    parser: take.choice("off", "on"),
    default: "off",
    doc: "Whether `/status` shows everyone the models and their health over 24 hours, without names of channels.",
    stored: "at once",
  }),
  modelPage: setting({
    env: "SLUICE_MODEL_PAGE",
    path: "model_page",
    parser: take.choice("off", "on"),
    default: "off",
    doc: "Whether `/pricing` shows everyone the models with their usual prices and health, without names of channels.",
    stored: "at once",
  }),
  sandbox: setting({
    env: "SLUICE_SANDBOX",
    path: "sandbox",
    parser: take.choice("auto", "on", "off"),
    default: "auto",
    doc: "Whether the built-in simulator answers while no channel is configured; `auto`: only if `host` is a loopback address and there is no `database_url`.",
  }),
  console: setting({
    env: "SLUICE_CONSOLE",
    path: "console",
    parser: take.choice("on", "off"),
    default: "on",
    doc: "Whether the gateway serves its console at `/`, and the documentation at `/docs`.",
  }),
  unpriced: setting({
    env: "SLUICE_UNPRICED",
    path: "pricing.unpriced",
    parser: take.choice("allow", "warn", "refuse"),
    default: undefined,
    doc: "Handling of calls to models without a price, which cost nothing: `warn` serves and logs them, `allow` serves them silently. If unset, they are refused if a quota or budget binds the call, and served with a warning otherwise.",
    stored: "at once",
  }),
  assumedOutputTokens: setting({
    env: "SLUICE_ASSUMED_OUTPUT_TOKENS",
    path: "pricing.assumed_output_tokens",
    parser: take.wholeNumber(1, 10_000_000),
    default: 4_096,
    doc: "Output tokens to reserve for a call without an output limit.",
    stored: "at once",
  }),
  disableRefused: setting({
    env: "SLUICE_DISABLE_REFUSED",
    path: "auto_disable.refused",
    parser: take.choice("on", "off"),
    default: "off",
    doc: "Disables a channel if the vendor refuses every credential, until a test succeeds.",
    stored: "at once",
  }),
  disableFailingShare: setting({
    env: "SLUICE_DISABLE_FAILING_SHARE",
    path: "auto_disable.failing_share",
    parser: take.ratio,
    default: 0,
    doc: "Disables a channel if this share of its attempts failed, until a test succeeds; 0 for never.",
    stored: "at once",
  }),
  disableMinAttempts: setting({
    env: "SLUICE_DISABLE_MIN_ATTEMPTS",
    path: "auto_disable.min_attempts",
    parser: take.wholeNumber(1, 1_000_000),
    default: 20,
    doc: "Number of attempts from which the share of failed ones counts.",
    stored: "at once",
  }),
  disableWindowMs: setting({
    env: "SLUICE_DISABLE_WINDOW",
    path: "auto_disable.window",
    parser: take.duration(MINUTE_MS, DAY_MS),
    default: 10 * MINUTE_MS,
    doc: "Time over which the share of failed attempts counts.",
    stored: "at once",
  }),
  disableNoBalance: setting({
    env: "SLUICE_DISABLE_NO_BALANCE",
    path: "auto_disable.no_balance",
    parser: take.choice("on", "off"),
    default: "off",
    doc: "Disables a channel if its account at the vendor has no balance left; needs `balances.refresh`.",
    stored: "at once",
  }),
  balanceRefreshMs: setting({
    env: "SLUICE_BALANCE_REFRESH",
    path: "balances.refresh",
    parser: take.duration(0, 7 * DAY_MS),
    default: 0,
    doc: "Interval at which balances at vendors are read, such as 6h; 0 for never. The shortest is 5m.",
    stored: "at once",
  }),
  userRpm: setting({
    env: "SLUICE_USER_RPM",
    path: "users.rpm",
    parser: requestsPerMinute,
    default: undefined,
    doc: "Requests per minute of each user, all keys together; unlimited if unset.",
    stored: "at once",
  }),
  userTpm: setting({
    env: "SLUICE_USER_TPM",
    path: "users.tpm",
    parser: tokensPerMinute,
    default: undefined,
    doc: "Tokens per minute of each user, all keys together; unlimited if unset.",
    stored: "at once",
  }),
  userConcurrency: setting({
    env: "SLUICE_USER_CONCURRENCY",
    path: "users.concurrency",
    parser: callsAtOnce,
    default: undefined,
    doc: "Concurrent calls of each user, all keys together; unlimited if unset.",
    stored: "at once",
  }),
  journalDays: setting({
    env: "SLUICE_JOURNAL_DAYS",
    path: "journal.retention_days",
    parser: take.wholeNumber(1, 3_650),
    default: 30,
    doc: "Retention of the call journal, in days.",
    stored: "at once",
  }),
  contentLog: setting({
    env: "SLUICE_CONTENT_LOG",
    path: "content_log.level",
    parser: take.choice(...CONTENT_LEVELS),
    default: "off",
    doc: "Calls that leave their prompts and answers in the content log, unless their group or key has a level of its own: `errors` means failed calls.",
    stored: "at once",
  }),
  contentLogStore: setting({
    env: "SLUICE_CONTENT_LOG_STORE",
    path: "content_log.store",
    parser: take.choice(...MEDIA_PLACES),
    default: "folder",
    doc: "Storage of the content log: a folder below the data folder, or the S3 bucket.",
  }),
  contentLogDays: setting({
    env: "SLUICE_CONTENT_LOG_DAYS",
    path: "content_log.retention_days",
    parser: take.wholeNumber(1, 3_650),
    default: 7,
    doc: "Retention of the content log, in days.",
    stored: "at once",
  }),
  contentLogTotalBytes: setting({
    env: "SLUICE_CONTENT_LOG_BYTES",
    path: "content_log.max_bytes",
    parser: take.size(MIB, 64 * 1024 * take.GIB),
    default: 10 * take.GIB,
    doc: "Maximum size of the content log, compressed; the oldest contents are deleted first.",
    stored: "at once",
  }),
  contentLogRedact: setting({
    env: "SLUICE_CONTENT_LOG_REDACT",
    path: "content_log.redact",
    parser: take.list(
      take.choice(...REDACTION_KINDS),
      REDACTION_KINDS.length,
      `some of ${REDACTION_KINDS.join(", ")}, separated by commas`,
    ),
    default: [...REDACTION_KINDS],
    doc: "Kinds of texts that the content log leaves out; empty for none.",
    stored: "at once",
  }),
  contentLogPatterns: setting({
    env: "SLUICE_CONTENT_LOG_PATTERNS",
    path: "content_log.patterns",
    parser: linearPatterns,
    default: [],
    doc: "Regular expressions of other texts that the content log leaves out, one a line.",
    stored: "at once",
  }),
  contentLogOwners: setting({
    env: "SLUICE_CONTENT_LOG_OWNERS",
    path: "content_log.owners",
    parser: take.choice("off", "on"),
    default: "off",
    doc: "Whether users may read the content of their own calls; otherwise only admins may.",
    stored: "at once",
  }),
  usageDays: setting({
    env: "SLUICE_USAGE_DAYS",
    path: "usage.retention_days",
    parser: take.wholeNumber(1, 3_650),
    default: 400,
    doc: "Retention of aggregated usage, in days.",
    stored: "at once",
  }),
  videoDays: setting({
    env: "SLUICE_VIDEO_DAYS",
    path: "videos.retention_days",
    parser: take.wholeNumber(1, 3_650),
    default: 30,
    doc: "Retention of finished video tasks, in days.",
    stored: "at once",
  }),
  mediaStore: setting({
    env: "SLUICE_MEDIA_STORE",
    path: "media.store",
    parser: take.choice("off", ...MEDIA_PLACES),
    default: "off",
    doc: "Storage for copies of finished videos, which stay available after the vendors' links expire.",
  }),
  mediaDays: setting({
    env: "SLUICE_MEDIA_DAYS",
    path: "media.retention_days",
    parser: take.wholeNumber(1, 3_650),
    default: 30,
    doc: "Retention of video copies, in days; they are never kept longer than their tasks.",
    stored: "at once",
  }),
  s3Endpoint: setting({
    env: "S3_ENDPOINT",
    path: "s3.endpoint",
    parser: take.baseUrl,
    default: undefined,
    doc: "Endpoint URL of the S3-compatible media store; Amazon S3 if unset.",
  }),
  s3Region: setting({
    env: "S3_REGION",
    path: "s3.region",
    parser: take.text("a region of 1 to 64 letters, digits and dashes", /^[A-Za-z0-9-]{1,64}$/),
    default: "us-east-1",
    doc: "AWS region of the media bucket.",
  }),
  s3Bucket: setting({
    env: "S3_BUCKET",
    path: "s3.bucket",
    parser: take.text("a bucket name of 3 to 63 characters", /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/),
    default: undefined,
    doc: "Name of the media bucket.",
  }),
  s3KeyId: setting({
    env: "S3_ACCESS_KEY_ID",
    path: "s3.access_key_id",
    parser: take.text("1 to 128 visible ASCII characters", /^[\x21-\x7e]{1,128}$/),
    default: undefined,
    doc: "Access key id for the media bucket.",
  }),
  s3Secret: setting({
    env: "S3_SECRET_ACCESS_KEY",
    path: "s3.secret_access_key",
    parser: clientSecret,
    default: undefined,
    doc: "Secret access key for the media bucket.",
  }),
  checkpointMs: setting({
    env: "SLUICE_CHECKPOINT_MS",
    path: "ledger.checkpoint_ms",
    parser: take.duration(10, HOUR_MS),
    default: 2 * SECOND_MS,
    doc: "Interval at which the ledger stores the output delivered by running calls, to charge them after a crash.",
    stored: "at once",
  }),
  leaseMs: setting({
    env: "SLUICE_LEASE_MS",
    path: "ledger.lease_ms",
    parser: take.duration(SECOND_MS, 10 * MINUTE_MS),
    default: 30 * SECOND_MS,
    doc: "Time after which an instance that does not update its heartbeat in PostgreSQL counts as ended, and others close its calls; the same for all instances.",
  }),
  journalExport: setting({
    env: "SLUICE_JOURNAL_EXPORT",
    path: "journal.export",
    parser: exportUrl,
    default: undefined,
    doc: "URL of a ClickHouse server to which the journal is copied; off if unset.",
  }),
  journalParquet: setting({
    env: "SLUICE_JOURNAL_PARQUET",
    path: "journal.parquet",
    parser: take.choice("off", "s3"),
    default: "off",
    doc: "Copies the journal into Parquet files in the S3 bucket, by the hour.",
  }),
  imageShape: setting({
    env: "SLUICE_IMAGES_SHAPE",
    path: "images.shape",
    parser: take.choice("auto", "envelope", "openai"),
    default: "auto",
    doc: "Response format of `/v1/images/generations`; `auto` selects it by the client.",
    stored: "at once",
  }),
  corsOrigins: setting({
    env: "SLUICE_CORS_ORIGINS",
    path: "cors.origins",
    parser: take.list(take.pageOrigin, 100, "origins of pages separated by commas, or `*`"),
    default: ["*"],
    doc: "Origins whose pages may call model endpoints from a browser, such as https://chat.example.com; `*` for all, empty for none. Pages of other origins never reach the management API.",
    stored: "at once",
  }),
  displayCurrency: setting({
    env: "SLUICE_DISPLAY_CURRENCY",
    path: "display.currency",
    parser: take.displayCurrency,
    default: undefined,
    doc: "Currency in which usage and statements show amounts beside US dollars, with its amount for one dollar; none if unset.",
    stored: "at once",
  }),
  answerHeaders: setting({
    env: "SLUICE_ANSWER_HEADERS",
    path: "answers.headers",
    parser: take.list(
      take.choice("cost", "overhead", "channel", "streams"),
      4,
      "some of cost, overhead, channel and streams, separated by commas",
    ),
    default: ["cost", "overhead"],
    doc: "Facts that complete answers name in headers: `sluice-cost`, `sluice-overhead-ms`, `sluice-channel`; none if empty. With `streams`, also comments at the end of streams.",
    stored: "at once",
  }),
  linkNetworks: setting({
    env: "SLUICE_LINKS_ALLOW",
    path: "links.allow",
    parser: take.list(take.network, 100, "IP networks, separated by commas"),
    default: [],
    doc: "Non-public networks that clients' media links and callback URLs may reach.",
    stored: "at once",
  }),
  linkPorts: setting({
    env: "SLUICE_LINKS_PORTS",
    path: "links.ports",
    parser: take.list(take.wholeNumber(1, 65_535), 100, "port numbers, separated by commas"),
    default: [80, 443],
    doc: "Ports that clients' media links and callback URLs may use.",
    stored: "at once",
  }),
} satisfies Table;

/** One setting: its sources, its valid values and its default. */
export interface Setting<T> {
  readonly env: string;
  /** Path in the file; absent if only the environment can set it. */
  readonly path?: string;
  readonly parser: take.Parser<T>;
  readonly default: T;
  readonly doc: string;
  /** When a change at run time takes effect; absent if it cannot change at run time. */
  readonly stored?: EffectTime;
  /** Former names; they still take effect, with a warning. */
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
  /** By the model name that clients use. */
  readonly models: ReadonlyMap<string, ModelOverride>;
  /** By path in the file, or by variable for settings without a path; in the table's order. */
  readonly origins: ReadonlyMap<string, Origin>;
  /** Environment variables that have no effect and resemble known ones. */
  readonly misspelt: readonly Misspelt[];
  /** Settings that were set under a former name. */
  readonly formerNames: readonly FormerName[];
}

export interface Origin {
  readonly from: Place | "default";
  /** Printable: a secret is `***`. */
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
/**
 * Variables without our prefix are not reported as mistakes, because they may
 * belong to another program.
 */
const OTHERS = [SETTINGS.databaseUrl.env, SETTINGS.redisUrl.env];

/**
 * Reads all settings: the environment takes precedence over the file, the file
 * over the defaults. An empty variable counts as unset. Throws one
 * `ConfigError` with all mistakes.
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
  reportHalfMail(isSaid, report);
  reportHalfRegistration(settings.registrationMode, isSaid, report);
  const places = [settings.mediaStore, settings.contentLogStore, settings.journalParquet];
  reportHalfBucket(places, isSaid, report);
  reportMistypedVariables(env, file.variables, report);
  if (mistakes.length > 0) throw new ConfigError(mistakes);
  const known = [...input.knownProviders.flatMap((each) => each.keyVariable ?? []), ...OTHERS];
  const misspelt = findMisspelt(env, known, file.variables);
  const formerNames = findFormerNames(rows, env, written);
  return { settings, channels, keys, models, origins, misspelt, formerNames };
}

/** All settings in the order of the manual. */
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
  stored: EffectTime | "never" = "at once",
): Setting<T | D> {
  const env = `SLUICE_LIMIT_${name.toUpperCase()}`;
  const row = { env, path: `limits.${name}`, parser, default: fallback, doc };
  return stored === "never" ? row : { ...row, stored };
}

/** Adds the former name of a renamed limit. */
function formerly<T>(name: string, row: Setting<T>): Setting<T> {
  return {
    ...row,
    formerly: { env: `SLUICE_LIMIT_${name.toUpperCase()}`, path: `limits.${name}` },
  };
}

/** The value in the environment; a current name takes precedence over a former one. */
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
  // Each row's parser returns the row's type, but `fromEntries` loses the relation.
  return Object.fromEntries(values) as Values<T>;
}

/** The file's value is validated even if the environment takes precedence. */
function readSetting<T>(
  row: Setting<T>,
  env: Environment,
  nodes: ReadonlyMap<string, FileNode>,
  origins: Map<string, Origin>,
  report: Report,
): T {
  const node = row.path === undefined ? undefined : nodes.get(row.path);
  const fromFile = node && readDocument(row.parser.schema, node, report);
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

/** An address without a password, or a password without an address, is no usable login. */
function reportHalfLogin(isSaid: (row: Setting<unknown>) => boolean, report: Report): void {
  const { adminEmail, adminPassword } = SETTINGS;
  if (isSaid(adminEmail) === isSaid(adminPassword)) return;
  const missing = isSaid(adminEmail) ? adminPassword : adminEmail;
  report({ variable: missing.env }, "is missing: the root account's login needs both.");
}

/** Single sign-on needs all of its settings. */
function reportHalfSignOn(isSaid: (row: Setting<unknown>) => boolean, report: Report): void {
  const { publicUrl, oidcIssuer, oidcClientId, oidcClientSecret } = SETTINGS;
  if (![oidcIssuer, oidcClientId, oidcClientSecret].some(isSaid)) return;
  for (const row of [oidcIssuer, oidcClientId, oidcClientSecret, publicUrl]) {
    if (!isSaid(row)) report({ variable: row.env }, "is missing: single sign-on needs it.");
  }
}

function reportHalfMail(isSaid: (row: Setting<unknown>) => boolean, report: Report): void {
  const { mailUrl, mailFrom } = SETTINGS;
  if (isSaid(mailUrl) === isSaid(mailFrom)) return;
  const missing = isSaid(mailUrl) ? mailFrom : mailUrl;
  report({ variable: missing.env }, "is missing: mail needs both.");
}

/** Links of registrations need mail and a URL. */
function reportHalfRegistration(
  mode: Settings["registrationMode"],
  isSaid: (row: Setting<unknown>) => boolean,
  report: Report,
): void {
  if (mode !== "mail") return;
  for (const row of [SETTINGS.mailUrl, SETTINGS.publicUrl]) {
    if (!isSaid(row)) report({ variable: row.env }, "is missing: registration by mail needs it.");
  }
}

/** S3 variables may be set for other programs; copies need all of them. */
function reportHalfBucket(
  places: readonly Settings["mediaStore" | "journalParquet"][],
  isSaid: (row: Setting<unknown>) => boolean,
  report: Report,
): void {
  const { s3Bucket, s3KeyId, s3Secret } = SETTINGS;
  if (!places.includes("s3")) return;
  for (const row of [s3Bucket, s3KeyId, s3Secret]) {
    if (!isSaid(row)) report({ variable: row.env }, "is missing: a store in S3 needs it.");
  }
}

/** An unused variable that resembles one of ours is probably misspelt. */
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
    report({ variable }, `The variable is unknown; ${didYouMean(variable, known)}`);
  }
}
