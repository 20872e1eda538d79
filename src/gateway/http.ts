import { readDescribedChannel, readDescribedModel } from "#config/described.ts";
import { openConfiguration } from "#config/managed/configuration.ts";
import type { Configuration } from "#core/configuration.ts";
import { reachNeeded } from "#egress/reach.ts";
import { defined } from "#lib/values.ts";
import type { HttpDeps } from "#http/deps.ts";
import { openSeal } from "#lib/seal.ts";
import { PROVIDERS } from "#providers/index.ts";
import { requirementsOf } from "#providers/provider.ts";
import type { Storage } from "#storage/open.ts";
import type { Assets } from "./assets.ts";
import { logFailure } from "./failure-log.ts";
import type { Infrastructure } from "./infrastructure.ts";
import type { Media } from "./media.ts";
import type { GatewayOptions } from "./options.ts";
import type { Relay } from "./relay.ts";
import type { Routing } from "./routing.ts";

type Needs = Pick<
  Infrastructure,
  "problems" | "clock" | "storage" | "live" | "settings" | "publicUrl" | "pepper"
> &
  Pick<Routing, "channels" | "channelRegistry" | "catalogUpdates"> &
  Pick<Media, "mediaPlace" | "contents" | "taskLinker"> &
  Pick<Assets, "library" | "assetFiles" | "assetLinks" | "verifications"> &
  Relay &
  Pick<HttpDeps, "refusals" | "loginLimits" | "singleSignOn" | "sockets">;

const KNOWN_PROVIDERS = PROVIDERS.map(requirementsOf);

/** The dependencies of the HTTP server. */
export function httpDeps(
  needs: Needs,
  { onStream, onAnswer }: Pick<GatewayOptions, "onStream" | "onAnswer">,
): HttpDeps {
  const { problems, clock, storage, live, settings, publicUrl } = needs;
  return {
    ...storesOf(storage),
    get secondFactorRule() {
      return settings.secondFactorRule;
    },
    tasks: needs.tasks,
    library: needs.library,
    assetFiles: needs.assetFiles,
    assetLinks: needs.assetLinks,
    verifications: needs.verifications,
    contents: needs.contents,
    taskLinker: needs.taskLinker,
    keepsMedia: needs.mediaPlace !== undefined,
    publicUrl,
    pathAliases: settings.pathAliases,
    imageShape: () => settings.imageShape,
    singleSignOn: needs.singleSignOn,
    loginLimits: needs.loginLimits,
    refusals: needs.refusals,
    sockets: needs.sockets,
    summarySeal: openSeal(needs.pepper, "summaries of conversations"),
    trustedProxies: settings.trustedProxies,
    channels: needs.channels,
    channelRegistry: needs.channelRegistry,
    catalogUpdates: needs.catalogUpdates,
    settings: live,
    configuration: openManaged(needs),
    readChannel: (json, terms) => readDescribedChannel(json, KNOWN_PROVIDERS, terms),
    readModel: readDescribedModel,
    reachNeeded,
    relay: needs.relay,
    clock,
    limits: settings.limits,
    renderMetrics: () => needs.metrics.render(),
    ping: () => storage.ping(),
    metricsToken: settings.metricsToken?.open(),
    onError: (error, requestId) => logFailure(problems, error, requestId),
    ...defined({ onStream, onAnswer }),
  };
}

function storesOf(storage: Storage) {
  return {
    keys: storage.keys,
    ownKeys: storage.keys,
    users: storage.users,
    groups: storage.groups,
    logins: storage.logins,
    secondFactors: storage.secondFactors,
    identities: storage.identities,
    notices: storage.notices,
    noticeSecrets: storage.noticeSecrets,
    audit: storage.audit,
    calls: storage.calls,
    usage: storage.usage,
    ledger: storage.ledger,
    quotas: storage.quotas,
    teams: storage.teams,
    responses: storage.responses,
    keptAnswers: storage.keptAnswers,
    channelStore: storage.channels,
    modelStore: storage.models,
  };
}

/** Opens the whole configuration as one document. */
function openManaged({
  storage,
  clock,
  live,
  channelRegistry,
}: Pick<Needs, "storage" | "clock" | "live" | "channelRegistry">): Configuration {
  return openConfiguration({
    stores: storage,
    atomically: storage.atomically,
    providers: KNOWN_PROVIDERS,
    clock,
    reachNeeded,
    ownerOf: (section, name) =>
      section === "settings" ? live.ownerOf(name) : channelRegistry.ownerOf(section, name),
    async onApplied() {
      await live.load();
      await channelRegistry.load();
    },
  });
}
