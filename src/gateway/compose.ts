import { LiveCalls } from "#http/live-calls.ts";
import { OpenSockets } from "#http/open-sockets.ts";
import { RefusalSample } from "#http/refusal-sample.ts";
import type { Readiness } from "#http/server.ts";
import { noteRefusals } from "#jobs/note-refusals.ts";
import { openAccessLog } from "./access-log.ts";
import { openContentLog } from "./content-log.ts";
import { addGatewayMetrics } from "./metrics.ts";
import { ChannelBalances } from "#relay/channel-balances.ts";
import { openChannelWatch } from "./channel-watch.ts";
import { openAlerts } from "./alerts.ts";
import { openAssets } from "./assets.ts";
import { openHomes, openLimiter, openLogins, openSharedReasoning } from "./counters.ts";
import { type Infrastructure, openInfrastructure, type Stores } from "./infrastructure.ts";
import * as endpoint from "./endpoint-deps.ts";
import { appDeps, callerDeps, listenerDeps, openRoutes } from "./http.ts";
import { openLinks } from "./links.ts";
import { openJournalExport } from "./journal-export.ts";
import { openMail } from "./mail.ts";
import { openMedia } from "./media.ts";
import type { GatewayOptions } from "./options.ts";
import { openPages } from "./pages.ts";
import { openRelay } from "./relay.ts";
import { openRouting, type Routing } from "./routing.ts";
import { openTelemetry } from "./telemetry.ts";
import { openSignOn } from "./single-sign-on.ts";

/**
 * The composition root: opens all modules except the server and the jobs.
 * Modules are closed in reverse order, so each may use the modules opened
 * before it until its end.
 */
export async function composeGateway(options: GatewayOptions, opened: AsyncDisposableStack) {
  const infrastructure = await openInfrastructure(options, opened);
  const routing = await openRouting({ ...infrastructure, env: options.env }, opened);
  const links = openLinks(infrastructure);
  const media = openMedia({ ...infrastructure, ...routing, ...links });
  const assets = openAssets({ ...infrastructure, ...routing, ...links, ...media });
  const mail = await openMail(infrastructure, opened);
  const journal = await openJournalExport({ ...infrastructure, ...media });
  const limiter = await openLimiter(infrastructure, opened);
  const modules = { ...infrastructure, ...routing, ...links, ...media, ...assets, ...mail };
  const homes = await openHomes(infrastructure, opened);
  const sharedReasoning = await openSharedReasoning(infrastructure, opened);
  const telemetry = await openTelemetry(modules, opened);
  const relay = openRelay({ ...modules, limiter, homes, sharedReasoning, telemetry }, opened);
  const contents = openContentLog({ ...modules, ...relay, telemetry }, opened);
  addGatewayMetrics({ ...infrastructure, ...relay, ...contents, ...journal, limiter }, opened);
  await openAccessLog({ ...infrastructure, ...relay }, opened);
  const refused = openRefusals(infrastructure, opened);
  const alerting = openAlerts({ ...modules, ...relay, limiter }, opened);
  const loginLimits = alerting.gatewayWatch.watchLogins(await openLogins(infrastructure, opened));
  const singleSignOn = openSignOn(infrastructure);
  const liveCalls = openLiveCalls(infrastructure);
  const channelBalances = openBalances({ ...infrastructure, health: modules.health });
  const channelWatch = openChannelWatch({ ...modules, ...relay, channelBalances });
  const gateway = {
    ...modules,
    ...relay,
    ...refused,
    telemetry,
    channelBalances,
    channelWatch,
    ...contents,
    ...alerting,
    ...journal,
    sockets: new OpenSockets(),
    liveCalls,
  };
  const readiness: Readiness = { isDraining: false };
  const charging = endpoint.chargingDeps(gateway);
  const callers = callerDeps(gateway);
  const served = { ...gateway, charging, loginLimits, singleSignOn, readiness, callers };
  const text = endpoint.textDeps(served, options);
  const routes = openRoutes({
    text,
    sockets: endpoint.socketDeps(text, served),
    operations: endpoint.operationDeps(served),
    videos: endpoint.videoDeps(served),
    taskList: endpoint.taskListDeps(served),
    routing: endpoint.routingDeps(served),
    holders: endpoint.holderDeps(served),
    assets: endpoint.assetDeps(served),
    assetList: endpoint.assetListDeps(served),
    webhooks: endpoint.webhookDeps(served),
    alerts: endpoint.alertDeps(served),
    home: endpoint.homeDeps(served),
    logins: endpoint.loginDeps(served),
    joining: endpoint.joiningDeps(served),
    redemption: endpoint.redemptionDeps(served),
    registration: endpoint.registrationDeps(served),
    accessTokens: endpoint.accessTokenDeps(served),
    ownAccount: endpoint.ownAccountDeps(served),
    accounts: endpoint.accountDeps(served),
    prices: endpoint.priceDeps(served),
    reports: endpoint.reportDeps(served),
    pastCalls: endpoint.pastCallDeps(text, served),
    settings: endpoint.settingDeps(served),
    status: endpoint.statusDeps(served, options),
  });
  const pages = await openPages(infrastructure);
  const app = appDeps({ ...served, routes, pages }, options);
  return { ...gateway, app, listener: listenerDeps(served) };
}

function openBalances({
  egress,
  log,
  clock,
  health,
  storage: { channelBalances: store },
}: Pick<Infrastructure, "egress" | "log" | "clock"> &
  Pick<Routing, "health"> &
  Stores<"channelBalances">): ChannelBalances {
  return new ChannelBalances({
    egress,
    health,
    store,
    clock,
    onLow: ({ channel, amount, currency }) =>
      log.warn({ channel, amount, currency }, "channel balance is low"),
  });
}

function openLiveCalls({
  problems,
  storage: { calls },
}: Pick<Infrastructure, "problems"> & Stores<"calls">): LiveCalls {
  return new LiveCalls({
    calls,
    onError: (cause) => problems.error("live calls", cause, "reading finished calls failed"),
  });
}

/** Refusals that are only counted; the last counts are written at shutdown. */
function openRefusals(
  { log, clock, storage }: Pick<Infrastructure, "log" | "clock"> & Stores<"audit">,
  opened: AsyncDisposableStack,
) {
  const refusals = new RefusalSample(clock);
  const noting = noteRefusals(refusals, storage.audit, clock);
  opened.defer(async () => {
    try {
      await noting.run(new AbortController().signal);
    } catch (cause) {
      log.error({ err: cause }, "audit log write failed");
    }
  });
  return { refusals, noting };
}
