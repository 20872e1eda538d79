import { GatewayError } from "#core/error.ts";
import { certificateEnd } from "#egress/certificate-end.ts";
import { checkCertificates } from "#jobs/check-certificates.ts";
import { copyMedia, pruneMedia } from "#jobs/copy-media.ts";
import { discoverModels } from "#jobs/discover-models.ts";
import { endRefusedCalls, type KeyHolders } from "#jobs/end-refused-calls.ts";
import { exportJournal } from "#jobs/export-journal.ts";
import { evaluateAlerts, pruneAlerts } from "#jobs/evaluate-alerts.ts";
import { indexCalls } from "#jobs/index-calls.ts";
import { keepChannelMinutes } from "#jobs/keep-channel-minutes.ts";
import { logAuditHead } from "#jobs/log-audit-head.ts";
import { measureExports } from "#jobs/measure-exports.ts";
import { noteTokenUses } from "#jobs/note-token-uses.ts";
import { pruneChannelMinutes } from "#jobs/prune-channel-minutes.ts";
import { pruneContents } from "#jobs/prune-contents.ts";
import { pruneCodes, pruneInvitations } from "#jobs/prune-invitations.ts";
import { pruneJournal } from "#jobs/prune-journal.ts";
import { pruneKeptAnswers } from "#jobs/prune-idempotency.ts";
import { pruneResponses } from "#jobs/prune-responses.ts";
import { pruneTasks } from "#jobs/prune-tasks.ts";
import { refreshStored } from "#jobs/refresh-stored.ts";
import type { Job } from "#jobs/scheduler.ts";
import { pruneWebhooks, deliverDueWebhooks } from "#jobs/deliver-webhooks.ts";
import { reportCatalogAge } from "#jobs/report-catalog-age.ts";
import { sumUsage } from "#jobs/sum-usage.ts";
import {
  attendVerifications,
  forgetRemovedAssets,
  pruneVerifications,
  watchAssetLibrary,
} from "#jobs/watch-assets.ts";
import { watchChannels } from "#jobs/watch-channels.ts";
import { watchBudgets } from "#jobs/watch-budgets.ts";
import { watchTasks } from "#jobs/watch-tasks.ts";
import { refreshBalances } from "#jobs/refresh-balances.ts";
import type { ChannelBalances } from "#relay/channel-balances.ts";
import type { ChannelWatch } from "#relay/failover/channel-watch.ts";
import type { Telemetry } from "#relay/telemetry/telemetry.ts";
import type { Alerting } from "./alerts.ts";
import type { Assets } from "./assets.ts";
import type { Contents } from "./content-log.ts";
import type { Infrastructure, Stores } from "./infrastructure.ts";
import type { GatewayOptions } from "./options.ts";
import type { JournalExport } from "./journal-export.ts";
import type { Links } from "./links.ts";
import type { Media } from "./media.ts";
import type { Relay } from "./relay.ts";
import type { Routing } from "./routing.ts";

type JobStores = Stores<
  | "keys"
  | "usage"
  | "calls"
  | "responses"
  | "keptAnswers"
  | "audit"
  | "notices"
  | "noticeSecrets"
  | "tasks"
  | "identitySessions"
  | "mediaCopies"
  | "channelMinutes"
  | "invitations"
  | "codes"
  | "alerts"
  | "accessTokens"
  | "journalExports"
>;

type Needs = Pick<Infrastructure, "log" | "clock" | "live" | "settings" | "egress" | "publicUrl"> &
  JobStores &
  Pick<Routing, "channels" | "channelRegistry" | "catalogUpdates" | "health"> &
  Pick<Links, "links"> &
  Pick<Media, "stores" | "contents"> &
  Pick<Assets, "assetWork"> &
  Pick<Contents, "contentStore" | "removeOldContents"> &
  Pick<Alerting, "alertWatch" | "alertSender" | "gatewayWatch"> &
  Pick<JournalExport, "journalTargets" | "exportLags"> &
  Pick<Relay, "relay" | "tasks" | "channelMinutes" | "budgetWatch"> & {
    readonly noting: Job;
    readonly channelWatch: ChannelWatch;
    readonly channelBalances: ChannelBalances;
    readonly sockets: KeyHolders;
    readonly telemetry: Telemetry | undefined;
  };

/** The background jobs, started after recovery. */
export function jobsOf(
  needs: Needs,
  onCredentialRefused: GatewayOptions["onCredentialRefused"] = () => {},
): readonly Job[] {
  const { log, clock, storage, live, settings, stores, assetWork, telemetry } = needs;
  return [
    endRefusedCalls([needs.relay.admission.open, needs.sockets], (ids) =>
      storage.keys.findRefused(ids),
    ),
    sumUsage(storage.usage, settings, clock),
    indexCalls(storage.calls),
    ...needs.journalTargets.map((target) => exportJournal(storage.journalExports, target)),
    measureExports(storage.journalExports, needs.journalTargets, needs.exportLags),
    watchBudgets(needs.budgetWatch),
    keepChannelMinutes(needs.channelMinutes, storage.channelMinutes),
    pruneChannelMinutes(storage.channelMinutes, clock),
    watchChannels(needs.channelWatch),
    refreshBalances(
      needs.channelBalances,
      () => needs.channels.all,
      settings,
      ({ name }, cause) => {
        const { code } = GatewayError.from(cause);
        log.warn({ channel: name, code }, "upstream balance request failed");
      },
    ),
    pruneJournal(
      storage.calls,
      settings,
      clock,
      needs.journalTargets.map(({ name }) => name),
    ),
    pruneContents(needs.contentStore, needs.removeOldContents, settings, clock),
    pruneResponses(storage.responses, clock),
    pruneKeptAnswers(storage.keptAnswers, settings.limits, clock),
    needs.noting,
    noteTokenUses(storage.accessTokens),
    logAuditHead(storage.audit, (head) => log.info(head, "audit log head")),
    reportCatalogAge(
      needs.catalogUpdates,
      () => needs.channelRegistry.load(),
      ({ shipped, updated, ageDays }) =>
        log.warn(
          { date: updated !== undefined && updated > shipped ? updated : shipped, ageDays },
          "model catalogue is outdated: prices may be wrong; " +
            "update Sluice or run 'sluice models update'",
        ),
    ),
    watchTasks(needs.tasks),
    deliverDueWebhooks({
      notices: storage.notices,
      secrets: storage.noticeSecrets,
      clock,
      links: needs.links,
      destinations: needs.alertSender,
      onAttempt: telemetry && ((attempt) => telemetry.observeDelivery(attempt)),
    }),
    evaluateAlerts(needs.alertWatch, settings.limits),
    pruneAlerts(storage.alerts, clock),
    checkCertificates({
      urls: () => securedUrls(needs),
      endOf: (url) => certificateEnd(url, "private"),
      onFound: (found) => needs.gatewayWatch.foundCertificates(found),
    }),
    pruneWebhooks(storage.notices, clock),
    pruneInvitations(storage.invitations, clock),
    pruneCodes(storage.codes, clock),
    pruneTasks(storage.tasks, settings, clock),
    watchAssetLibrary(assetWork),
    forgetRemovedAssets(assetWork),
    attendVerifications(assetWork),
    pruneVerifications(storage.identitySessions, clock),
    copyMedia(needs.contents),
    pruneMedia({ copies: storage.mediaCopies, stores, clock }, settings),
    refreshStored(live, needs.channelRegistry),
    discoverModels(needs.channels, needs.egress, needs.health, clock, ({ name }, cause) => {
      const { code, fault } = GatewayError.from(cause);
      if (code === "upstream_auth") {
        const owner = needs.channelRegistry.ownerOf("channels", name);
        log.warn({ channel: name, code }, "upstream refused the channel's credential");
        onCredentialRefused(name, owner);
        return;
      }
      const more = fault.blame === "gateway" ? { err: cause } : {};
      log.warn({ channel: name, code, ...more }, "upstream model list request failed");
    }),
  ];
}

/** The gateway's own address, and those of upstreams that are reached without a proxy. */
function securedUrls({
  publicUrl,
  settings,
  channels,
}: Pick<Needs, "publicUrl" | "settings" | "channels">): readonly URL[] {
  const upstreams =
    settings.upstreamProxy === undefined ? channels.all.map(({ baseUrl }) => baseUrl) : [];
  return [publicUrl ?? "", ...upstreams].flatMap((text) => {
    const url = URL.parse(text);
    return url?.protocol === "https:" ? [url] : [];
  });
}
