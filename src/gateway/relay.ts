import type { RateLimiter } from "#core/limits.ts";
import type { ReasoningHomes } from "#core/reasoning-home.ts";
import { NOTICES_PATH } from "#http/api/video/vendor-webhook.ts";
import { loadTokenizer } from "#relay/metering/tokens.ts";
import { BufferedBytes } from "#relay/delivery/buffered-bytes.ts";
import type { DeliverySettings } from "#relay/delivery/deliver.ts";
import { openMetrics, type Metrics } from "#relay/metrics.ts";
import { ChannelMinutes } from "#relay/metering/channel-minutes.ts";
import { OpenCalls } from "#relay/metering/open-calls.ts";
import type { OperateDeps } from "#relay/operate.ts";
import { LearnedRefusals } from "#relay/failover/learned-refusals.ts";
import type { RelayDeps } from "#relay/relay.ts";
import { Router } from "#relay/routing/route.ts";
import { Tasks, type TasksDeps } from "#relay/tasks/tasks.ts";
import { UnpricedReport } from "#relay/routing/unpriced.ts";
import { ReasoningCache } from "#relay/translation/reasoning-cache.ts";
import type { Assets } from "./assets.ts";
import type { Infrastructure, Stores } from "./infrastructure.ts";
import type { Links } from "./links.ts";
import type { Media } from "./media.ts";
import type { Routing } from "./routing.ts";

type Needs = Omit<Infrastructure, "config" | "pepper" | "own"> &
  Stores<"tasks" | "ledger" | "journal"> &
  Pick<Routing, "channels" | "health" | "findChannel" | "catalogUpdates"> &
  Pick<Links, "links" | "linkedMedia"> &
  Pick<Media, "announce"> &
  Pick<Assets, "assetLinks" | "references"> & {
    readonly limiter: RateLimiter;
    readonly homes: ReasoningHomes;
  };

export interface Relay {
  readonly relay: RelayDeps & OperateDeps;
  readonly tasks: Tasks;
  readonly metrics: Metrics;
  readonly channelMinutes: ChannelMinutes;
}

/**
 * Delay before the response head is sent without a first event, and interval
 * between keep-alives.
 */
const FIRST_SIGN_MS = 10_000;
const SILENCE_MS = 15_000;

/**
 * Lifetime and total size of signatures that are cached for clients whose
 * format cannot carry them.
 */
const REASONING_CACHE_MS = 3_600_000;
const REASONING_CACHE_LENGTH = 32 * 1024 * 1024;

/** Opens the relay for calls, and the scheduler of their tasks. */
export function openRelay(needs: Needs, opened: AsyncDisposableStack): Relay {
  const { storage, settings, live, clock, deadlines, channels, health, publicUrl } = needs;
  const { limits } = settings;
  // Loaded in the background: only token counting waits for it.
  loadTokenizer().catch((cause: unknown) =>
    needs.problems.error("tokenizer", cause, "tokenizer load failed: will retry"),
  );
  const buffered = new BufferedBytes(limits);
  const metrics = openMetrics(
    () => channels.all,
    health,
    () => tasks.taskScheduler.size,
    () => buffered.total,
    () => needs.catalogUpdates.describe().ageDays,
  );
  const channelMinutes = new ChannelMinutes(clock);
  const report = new UnpricedReport(clock, ({ isRefused, ...notice }) =>
    needs.log.warn(notice, unpricedMessage(isRefused, notice.serviceTier)),
  );
  const relay: RelayDeps & OperateDeps & TasksDeps = {
    tasks: storage.tasks,
    lease: { owner: needs.instance, leaseMs: limits.taskLeaseMs },
    deadlines,
    limits,
    findChannel: needs.findChannel,
    callbackUrlFor: (channel, taskId) =>
      publicUrl && `${publicUrl}${NOTICES_PATH}/${encodeURIComponent(channel)}/${taskId}`,
    announce: needs.announce,
    links: needs.links,
    router: new Router(channels, health, settings),
    egress: needs.egress,
    health,
    clock,
    ledger: storage.ledger,
    limiter: needs.limiter,
    homes: needs.homes,
    get userLimits() {
      return live.userLimits;
    },
    journal: storage.journal,
    learned: new LearnedRefusals(clock),
    reasoningCache: new ReasoningCache(clock, {
      keepMs: REASONING_CACHE_MS,
      maxLength: REASONING_CACHE_LENGTH,
    }),
    media: needs.assetLinks.shortcut(needs.linkedMedia),
    references: needs.references,
    open: new OpenCalls(),
    get maxOpen() {
      return limits.inFlight;
    },
    get maxAttempts() {
      return limits.attempts;
    },
    get maxContinuations() {
      return limits.continuations;
    },
    get maxCallMs() {
      return limits.totalMs;
    },
    get maxPixels() {
      return limits.picturePixels;
    },
    get pendingMs() {
      return limits.unaryMs;
    },
    delivery: deliveryOf(needs, buffered),
    onClosed(record) {
      metrics.observe(record);
      channelMinutes.observe(record);
    },
    onUnpriced(notice) {
      if (settings.unpriced !== "allow") report.note(notice);
    },
    onPoll: (lateMs) => metrics.observeLook(lateMs),
    onError: (cause) => needs.problems.error("settlement", cause, "settlement failed: will retry"),
  };
  const tasks = new Tasks(relay);
  opened.defer(() => tasks.close());
  return { relay, tasks, metrics, channelMinutes };
}

function deliveryOf(
  { settings, deadlines }: Pick<Infrastructure, "settings" | "deadlines">,
  buffered: BufferedBytes,
): DeliverySettings {
  const { limits } = settings;
  return {
    get maxEventBytes() {
      return limits.eventBytes;
    },
    get maxPictureEventBytes() {
      return limits.answerBytes;
    },
    buffered,
    firstSignMs: FIRST_SIGN_MS,
    silenceMs: SILENCE_MS,
    get checkpointMs() {
      return settings.checkpointMs;
    },
    deadlines,
  };
}

function unpricedMessage(isRefused: boolean, serviceTier: string | undefined): string {
  if (serviceTier !== undefined) return "service tier has no price: charged as the usual tier";
  return isRefused
    ? "model has no price: call refused"
    : "model has no price: its calls cost nothing";
}
