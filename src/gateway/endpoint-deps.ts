import { readDescribedChannel, readDescribedModel } from "#config/described.ts";
import { reachNeeded } from "#egress/reach.ts";
import type { ChannelBalances } from "#relay/channel-balances.ts";
import type { ChannelWatch } from "#relay/failover/channel-watch.ts";
import { ModelHealth } from "#relay/alerts/model-health.ts";
import { ChannelReports } from "#relay/failover/channel-report.ts";
import { openSeal } from "#lib/seal.ts";
import { defined } from "#lib/values.ts";
import type { AccessTokenDeps } from "#http/deps/access-tokens.ts";
import type { AccountDeps } from "#http/deps/accounts.ts";
import type { AlertDeps } from "#http/deps/alerts.ts";
import type { AssetListDeps } from "#http/deps/asset-list.ts";
import type { AssetDeps } from "#http/deps/assets.ts";
import type { HolderDeps } from "#http/deps/holders.ts";
import type { JoiningDeps, RedemptionDeps, RegistrationDeps } from "#http/deps/joining.ts";
import { Spends } from "#http/api/home/spends.ts";
import type { HomeDeps } from "#http/deps/home.ts";
import type { LoginDeps } from "#http/deps/logins.ts";
import type { ImageDeps } from "#http/deps/operations.ts";
import type { PriceDeps } from "#http/deps/prices.ts";
import type { PastCallDeps } from "#http/deps/past-calls.ts";
import type { OwnAccountDeps } from "#http/deps/own-account.ts";
import type { ReportDeps } from "#http/deps/reports.ts";
import type { RoutingDeps } from "#http/deps/routing.ts";
import type { SettingDeps } from "#http/deps/settings.ts";
import type { SocketDeps } from "#http/deps/sockets.ts";
import type { StatusDeps } from "#http/deps/status.ts";
import type { TaskListDeps } from "#http/deps/task-list.ts";
import type { TextDeps } from "#http/deps/text.ts";
import type { VideoDeps } from "#http/deps/videos.ts";
import type { WebhookDeps } from "#http/deps/webhooks.ts";
import { ROUTES } from "#http/registry.ts";
import { scopesOf } from "#http/scopes-of.ts";
import type { IdempotencyDeps } from "#http/idempotency.ts";
import type { OpenSockets } from "#http/open-sockets.ts";
import type { Readiness } from "#http/server.ts";
import { digestOf } from "#storage/secrets/secrets.ts";
import type { Alerting } from "./alerts.ts";
import type { Assets } from "./assets.ts";
import type { Contents } from "./content-log.ts";
import { logFailure } from "./failure-log.ts";
import type { Infrastructure, Stores } from "./infrastructure.ts";
import type { JournalExport } from "./journal-export.ts";
import type { Links } from "./links.ts";
import { KNOWN_PROVIDERS, openImports, openManaged } from "./managed.ts";
import type { Media } from "./media.ts";
import type { GatewayOptions } from "./options.ts";
import type { Relay } from "./relay.ts";
import type { Routing } from "./routing.ts";
import { VERSION } from "#version.ts";

type Limited = Pick<Infrastructure, "clock" | "settings">;
/** Of endpoints that cost something. */
interface Charging {
  readonly charging: IdempotencyDeps;
}

export function chargingDeps({
  clock,
  contentLog,
  problems,
  settings: { limits },
  storage: { keptAnswers },
}: Limited &
  Pick<Infrastructure, "problems"> &
  Pick<Contents, "contentLog"> &
  Stores<"keptAnswers">): IdempotencyDeps {
  return {
    contentLog,
    keptAnswers,
    clock,
    limits,
    onError: (error, requestId) => logFailure(problems, error, requestId),
  };
}

export function textDeps(
  {
    charging,
    relay,
    channels,
    pepper,
    settings: { limits },
    storage: { responses },
  }: Charging &
    Pick<Infrastructure, "pepper" | "settings"> &
    Pick<Relay, "relay"> &
    Pick<Routing, "channels"> &
    Stores<"responses">,
  { onStream }: Pick<GatewayOptions, "onStream">,
): TextDeps {
  return {
    ...charging,
    relay,
    channels,
    responses,
    summarySeal: openSeal(pepper, "summaries of conversations"),
    limits,
    ...defined({ onStream }),
  };
}

export function socketDeps(
  text: TextDeps,
  {
    channelRegistry,
    sockets,
    storage: { keys },
  }: Pick<Routing, "channelRegistry"> & { readonly sockets: OpenSockets } & Stores<"keys">,
): SocketDeps {
  return { ...text, keys, sockets, channelRegistry };
}

export function operationDeps({
  charging,
  relay,
  settings,
}: Charging & Pick<Relay, "relay"> & Pick<Infrastructure, "settings">): ImageDeps {
  const { limits } = settings;
  return { ...charging, relay, limits, imageShape: () => settings.imageShape };
}

export function videoDeps({
  charging,
  tasks,
  contents,
  taskLinker,
  mediaPlace,
  publicUrl,
  settings: { limits },
}: Charging &
  Pick<Relay, "tasks"> &
  Pick<Media, "contents" | "taskLinker" | "mediaPlace"> &
  Pick<Infrastructure, "publicUrl" | "settings">): VideoDeps {
  const keepsMedia = mediaPlace !== undefined;
  return { ...charging, tasks, contents, taskLinker, keepsMedia, publicUrl, limits };
}

export function taskListDeps({
  tasks,
  taskLinker,
  publicUrl,
  storage: { calls },
}: Pick<Relay, "tasks"> &
  Pick<Media, "taskLinker"> &
  Pick<Infrastructure, "publicUrl"> &
  Stores<"calls">): TaskListDeps {
  return { tasks, calls, taskLinker, publicUrl };
}

export function holderDeps({
  clock,
  channels,
  relay,
  storage: { ledger, usage },
}: Pick<Infrastructure, "clock"> &
  Pick<Routing, "channels"> &
  Pick<Relay, "relay"> &
  Stores<"ledger" | "usage">): HolderDeps {
  return { channels, ledger, usage, relay, clock };
}

export function assetDeps({
  charging,
  library,
  assetFiles,
  assetLinks,
  verifications,
  settings: { limits },
}: Charging &
  Pick<Assets, "library" | "assetFiles" | "assetLinks" | "verifications"> &
  Pick<Infrastructure, "settings">): AssetDeps {
  return { ...charging, library, assetFiles, assetLinks, verifications, limits };
}

export function assetListDeps({
  clock,
  library,
  assetLinks,
  verifications,
  settings: { limits },
  storage: { assets, identitySessions, users },
}: Limited &
  Pick<Assets, "library" | "assetLinks" | "verifications"> &
  Stores<"assets" | "identitySessions" | "users">): AssetListDeps {
  return { library, assetLinks, verifications, assets, identitySessions, users, limits, clock };
}

export function webhookDeps({
  clock,
  storage: { notices, noticeSecrets },
}: Pick<Infrastructure, "clock"> & Stores<"notices" | "noticeSecrets">): WebhookDeps {
  return { notices, noticeSecrets, clock };
}

export function alertDeps({
  clock,
  links,
  alertSender,
  storage: { alerts, alertRules, alertDestinations, notices },
}: Pick<Infrastructure, "clock"> &
  Pick<Links, "links"> &
  Pick<Alerting, "alertSender"> &
  Stores<"alerts" | "alertRules" | "alertDestinations" | "notices">): AlertDeps {
  return { alerts, alertRules, alertDestinations, alertSender, notices, links, clock };
}

export function homeDeps({
  clock,
  settings,
  channels,
  alertWatch,
  storage: { alerts, funds, channelMinutes, usage, quotas, keys },
}: Limited &
  Pick<Routing, "channels"> &
  Pick<Alerting, "alertWatch"> &
  Stores<"alerts" | "funds" | "channelMinutes" | "usage" | "quotas" | "keys">): HomeDeps {
  return {
    alerts,
    alertWatch,
    funds,
    channelMinutes,
    spends: new Spends(usage, clock),
    quotas,
    userKeys: keys,
    modelHealth: new ModelHealth({ minutes: channelMinutes, table: channels, clock }),
    channels,
    get isStatusPublic() {
      return settings.statusPage === "on";
    },
    get isPricingPublic() {
      return settings.modelPage === "on";
    },
    clock,
  };
}

export function loginDeps({
  clock,
  settings,
  publicUrl,
  loginLimits,
  singleSignOn,
  accountMailer,
  storage: { users, logins, secondFactors, identities, invitations, mailLinks },
}: Limited &
  Pick<Infrastructure, "publicUrl"> &
  Pick<LoginDeps, "accountMailer" | "loginLimits" | "singleSignOn"> &
  Stores<
    "users" | "logins" | "secondFactors" | "identities" | "invitations" | "mailLinks"
  >): LoginDeps {
  return {
    users,
    logins,
    loginLimits,
    secondFactors,
    get secondFactorRule() {
      return settings.secondFactorRule;
    },
    get displayCurrency() {
      return settings.displayCurrency;
    },
    identities,
    invitations,
    mailLinks,
    accountMailer,
    singleSignOn,
    publicUrl,
    clock,
  };
}

export function joiningDeps({
  clock,
  settings,
  publicUrl,
  loginLimits,
  singleSignOn,
  accountMailer,
  storage: { invitations, quotas, ledger, logins },
}: Limited &
  Pick<Infrastructure, "publicUrl"> &
  Pick<JoiningDeps, "accountMailer" | "loginLimits" | "singleSignOn"> &
  Stores<"invitations" | "quotas" | "ledger" | "logins">): JoiningDeps {
  return {
    invitations,
    quotas,
    ledger,
    logins,
    loginLimits,
    get secondFactorRule() {
      return settings.secondFactorRule;
    },
    singleSignOn,
    accountMailer,
    publicUrl,
    clock,
  };
}

export function redemptionDeps({
  clock,
  loginLimits,
  storage: { codes, quotas, ledger },
}: Pick<Infrastructure, "clock"> &
  Pick<RedemptionDeps, "loginLimits"> &
  Stores<"codes" | "quotas" | "ledger">): RedemptionDeps {
  return { codes, quotas, ledger, loginLimits, clock };
}

export function registrationDeps({
  settings,
  loginLimits,
  accountMailer,
  singleSignOn,
  storage: { users, groups, logins, mailLinks },
}: Pick<Infrastructure, "settings"> &
  Pick<RegistrationDeps, "accountMailer" | "loginLimits" | "singleSignOn"> &
  Stores<"users" | "groups" | "logins" | "mailLinks">): RegistrationDeps {
  return {
    users,
    groups,
    logins,
    mailLinks,
    loginLimits,
    accountMailer,
    singleSignOn,
    get secondFactorRule() {
      return settings.secondFactorRule;
    },
    get registration() {
      return {
        mode: settings.registrationMode,
        domains: settings.registrationDomains,
        ...defined({
          group: settings.registrationGroup,
          quota: settings.registrationQuota,
          dayBudget: settings.registrationDayBudget,
          monthBudget: settings.registrationMonthBudget,
        }),
      };
    },
  };
}

export function accessTokenDeps({
  clock,
  settings: { limits },
  storage: { users, accessTokens },
}: Limited & Stores<"users" | "accessTokens">): AccessTokenDeps {
  return { accessTokens, users, scopesOf: (user) => scopesOf(user, ROUTES), clock, limits };
}

export function ownAccountDeps({
  settings,
  storage: { identities, logins, secondFactors, teams, groups },
}: Pick<Infrastructure, "settings"> &
  Stores<"identities" | "logins" | "secondFactors" | "teams" | "groups">): OwnAccountDeps {
  return {
    identities,
    logins,
    secondFactors,
    get secondFactorRule() {
      return settings.secondFactorRule;
    },
    teams,
    groups,
  };
}

export function accountDeps({
  clock,
  settings: { limits },
  accountMailer,
  storage: { users, keys, groups, teams, quotas, ledger, usage },
}: Limited &
  Pick<LoginDeps, "accountMailer"> &
  Stores<"users" | "keys" | "groups" | "teams" | "quotas" | "ledger" | "usage">): AccountDeps {
  return {
    accountMailer,
    users,
    userKeys: keys,
    groups,
    teams,
    quotas,
    ledger,
    usage,
    readModel: readDescribedModel,
    clock,
    limits,
  };
}

export function reportDeps({
  clock,
  settings,
  liveCalls,
  callers,
  callLog,
  storage: { usage, audit, users, teams, quotas },
}: Limited &
  Pick<ReportDeps, "liveCalls" | "callers"> &
  Pick<JournalExport, "callLog"> &
  Stores<"usage" | "audit" | "users" | "teams" | "quotas">): ReportDeps {
  return {
    calls: callLog,
    liveCalls,
    callers,
    usage,
    audit,
    users,
    teams,
    quotas,
    get usageDays() {
      return settings.usageDays;
    },
    get displayCurrency() {
      return settings.displayCurrency;
    },
    clock,
  };
}

interface ChannelCareModules {
  readonly channelBalances: ChannelBalances;
  readonly channelWatch: ChannelWatch;
}

export function pastCallDeps(
  text: TextDeps,
  {
    settings,
    contentStore,
    relay,
    callLog,
    storage: { keys, tasks },
  }: Pick<Infrastructure, "settings"> &
    Pick<Contents, "contentStore"> &
    Pick<JournalExport, "callLog"> &
    Pick<Relay, "relay"> &
    Stores<"keys" | "tasks">,
): PastCallDeps {
  return {
    calls: callLog,
    tasks,
    keyDirectory: keys,
    limitsOf: relay.admission,
    explaining: text,
    contents: contentStore,
    contentSettings: settings,
  };
}

export function routingDeps({
  clock,
  pepper,
  channels,
  channelRegistry,
  catalogUpdates,
  channelBalances,
  channelWatch,
  relay,
  storage,
}: Pick<Infrastructure, "clock" | "pepper"> &
  Pick<Routing, "channels" | "channelRegistry" | "catalogUpdates"> &
  ChannelCareModules &
  Pick<Relay, "relay"> &
  Stores<"channels" | "models" | "channelMinutes" | "audit">): RoutingDeps {
  return {
    channels,
    channelRegistry,
    channelStore: storage.channels,
    modelStore: storage.models,
    catalogUpdates,
    readChannel: (json, terms) => readDescribedChannel(json, KNOWN_PROVIDERS, terms),
    readModel: readDescribedModel,
    reachNeeded,
    relay,
    clock,
    channelCare: {
      reports: new ChannelReports(storage.channelMinutes, clock),
      balances: channelBalances,
      watch: channelWatch,
      digestPlan: (plan) => digestOf(`change of channels:${plan}`, pepper),
    },
    audit: storage.audit,
  };
}

export function priceDeps({
  clock,
  channels,
  catalogUpdates,
  storage: { usage },
}: Pick<Infrastructure, "clock"> &
  Pick<Routing, "channels" | "catalogUpdates"> &
  Stores<"usage">): PriceDeps {
  return { channels, catalogUpdates, usage, clock };
}

export function settingDeps(
  needs: Parameters<typeof openManaged>[0] &
    Parameters<typeof openImports>[0] &
    Pick<SettingDeps, "mailer">,
): SettingDeps {
  return {
    settings: needs.live,
    configuration: openManaged(needs),
    importer: openImports(needs),
    mailer: needs.mailer,
  };
}

export function statusDeps(
  {
    clock,
    settings,
    channelRegistry,
    readiness,
    metrics,
    storage,
  }: Limited &
    Pick<Routing, "channelRegistry"> &
    Pick<Relay, "metrics"> & { readonly readiness: Readiness } & Stores<"ping">,
  { workerLink }: Pick<GatewayOptions, "workerLink">,
): StatusDeps {
  return {
    version: VERSION,
    system: {
      database: settings.databaseUrl === undefined ? "sqlite" : "postgresql",
      runtime: `Bun ${process.versions.bun}`,
      platform: `${process.platform} ${process.arch}`,
      startedAt: clock.now(),
    },
    channelRegistry,
    isDraining: () => readiness.isDraining,
    renderMetrics() {
      const own = metrics.render();
      return workerLink === undefined ? own : workerLink.sumMetrics(own);
    },
    ping: () => storage.ping(),
  };
}
