import type { RateLimiter } from "#core/limits.ts";
import type { ReasoningHomes } from "#core/reasoning-home.ts";
import type { SharedReasoning } from "#core/shared-reasoning.ts";
import { NOTICES_PATH } from "#http/api/video/vendor-webhook.ts";
import type { BufferedBytes } from "#relay/delivery/buffered-bytes.ts";
import type { AdmitDeps } from "#relay/admit.ts";
import type { CallDeps } from "#relay/call-deps.ts";
import type { CallObserver } from "#relay/call-observers.ts";
import type { DeliverySettings } from "#relay/delivery/deliver.ts";
import type { Metrics } from "#relay/metrics/metrics.ts";
import type { BudgetWatch } from "#relay/metering/budget-watch.ts";
import { OpenCalls } from "#relay/metering/open-calls.ts";
import type { OperateDeps } from "#relay/operate.ts";
import type { AttemptDeps } from "#relay/failover/attempt.ts";
import { LearnedRefusals } from "#relay/failover/learned-refusals.ts";
import type { RelayDeps } from "#relay/relay.ts";
import type { Router } from "#relay/routing/route.ts";
import type { Telemetry } from "#relay/telemetry/telemetry.ts";
import type { SubmitDeps } from "#relay/tasks/submit.ts";
import type { LeaseTerms, TaskSchedulerDeps } from "#relay/tasks/task-scheduler.ts";
import { UnpricedReport } from "#relay/routing/unpriced.ts";
import { ReasoningCache } from "#relay/translation/reasoning-cache.ts";
import type { Assets } from "./assets.ts";
import type { Infrastructure, Stores } from "./infrastructure.ts";
import type { Links } from "./links.ts";
import type { Media } from "./media.ts";
import type { Routing } from "./routing.ts";

export type RelayNeeds = Omit<Infrastructure, "config" | "pepper" | "own"> &
  Stores<"tasks" | "ledger" | "journal"> &
  Pick<Routing, "channels" | "health" | "findChannel" | "catalogUpdates"> &
  Pick<Links, "links" | "linkedMedia"> &
  Pick<Media, "announce"> &
  Pick<Assets, "assetLinks" | "references"> & {
    readonly limiter: RateLimiter;
    readonly telemetry: Telemetry | undefined;
    readonly homes: ReasoningHomes;
    readonly sharedReasoning: SharedReasoning | undefined;
  };

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

interface Observers {
  readonly observers: CallObserver;
  onError(cause: unknown): void;
}

export function admissionOf(
  needs: Pick<RelayNeeds, "clock" | "limiter" | "live" | "log" | "settings" | "storage">,
  router: Router,
  delivery: DeliverySettings,
  { budgetWatch, observers, onError }: Observers & { readonly budgetWatch: BudgetWatch },
): AdmitDeps {
  const { clock, limiter, live, log, settings, storage } = needs;
  const report = new UnpricedReport(clock, ({ isRefused, ...notice }) =>
    log.warn(notice, unpricedMessage(isRefused, notice.serviceTier)),
  );
  return {
    router,
    limiter,
    get userLimits() {
      return live.userLimits;
    },
    ledger: storage.ledger,
    journal: storage.journal,
    clock,
    delivery,
    open: new OpenCalls(budgetWatch),
    get maxOpen() {
      return settings.limits.inFlight;
    },
    onClosed: (record) => observers.observe(record),
    onUnpriced(notice) {
      if (settings.unpriced !== "allow") report.note(notice);
    },
    onError,
  };
}

export function attemptsOf(
  needs: Pick<RelayNeeds, "clock" | "egress" | "health" | "limiter" | "settings" | "telemetry">,
  router: Router,
  delivery: DeliverySettings,
): AttemptDeps {
  const { clock, egress, health, limiter, settings } = needs;
  return {
    egress,
    health,
    clock,
    delivery,
    router,
    limiter,
    get maxAttempts() {
      return settings.limits.attempts;
    },
    get maxCallMs() {
      return settings.limits.totalMs;
    },
    ...tracePropagation(needs),
  };
}

function tracePropagation({
  telemetry,
  settings,
}: Pick<RelayNeeds, "telemetry" | "settings">): Pick<AttemptDeps, "traceparentOf"> {
  if (telemetry === undefined || settings.otelPropagate === "off") return {};
  return {
    traceparentOf: ({ id, traceparent }, attempt) =>
      telemetry.traceparentOf(id, traceparent, attempt),
  };
}

export function relayOf(
  needs: Pick<
    RelayNeeds,
    "assetLinks" | "clock" | "homes" | "linkedMedia" | "settings" | "sharedReasoning" | "telemetry"
  >,
  { admission, router, attempts }: CallDeps,
  delivery: DeliverySettings,
): RelayDeps & OperateDeps {
  const { clock, homes, telemetry } = needs;
  const { limits } = needs.settings;
  return {
    admission,
    router,
    attempts,
    delivery,
    clock,
    homes,
    learned: new LearnedRefusals(clock),
    noteRequest: telemetry && ((call) => telemetry.noteRequest(call)),
    noteAnswer: telemetry && ((callId, body) => telemetry.noteAnswer(callId, body)),
    reasoningCache: new ReasoningCache(clock, {
      keepMs: REASONING_CACHE_MS,
      maxLength: REASONING_CACHE_LENGTH,
      shared: needs.sharedReasoning,
    }),
    media: needs.assetLinks.shortcut(needs.linkedMedia),
    get maxContinuations() {
      return limits.continuations;
    },
    get maxPixels() {
      return limits.picturePixels;
    },
    get pendingMs() {
      return limits.unaryMs;
    },
  };
}

export function submissionOf(
  needs: Pick<
    RelayNeeds,
    | "clock"
    | "instance"
    | "links"
    | "publicUrl"
    | "references"
    | "settings"
    | "storage"
    | "telemetry"
  >,
  { admission, router, attempts, media }: CallDeps & Pick<OperateDeps, "media">,
  onError: (cause: unknown) => void,
): SubmitDeps {
  const { clock, links, publicUrl, references, settings, storage, telemetry } = needs;
  return {
    admission,
    router,
    attempts,
    clock,
    tasks: storage.tasks,
    lease: leaseOf(needs),
    callbackUrlFor: (channel, taskId) =>
      publicUrl && `${publicUrl}${NOTICES_PATH}/${encodeURIComponent(channel)}/${taskId}`,
    links,
    references,
    files: {
      media,
      get maxPixels() {
        return settings.limits.picturePixels;
      },
    },
    ...(telemetry && { onSubmitted: (record) => telemetry.observeCreation(record) }),
    onError,
  };
}

export function schedulingOf(
  needs: Pick<
    RelayNeeds,
    | "announce"
    | "clock"
    | "deadlines"
    | "egress"
    | "findChannel"
    | "instance"
    | "settings"
    | "storage"
    | "telemetry"
  >,
  { metrics, observers, onError }: Observers & { readonly metrics: Metrics },
): TaskSchedulerDeps {
  const { announce, clock, deadlines, egress, findChannel, settings, storage, telemetry } = needs;
  return {
    tasks: storage.tasks,
    ledger: storage.ledger,
    lease: leaseOf(needs),
    limits: settings.limits,
    clock,
    deadlines,
    egress,
    findChannel,
    announce,
    onClosed: (record) => observers.observe(record),
    polls: {
      onPoll: (lateMs) => metrics.observePoll(lateMs),
      ...(telemetry && { onPolled: (poll) => telemetry.observePoll(poll) }),
    },
    onError,
  };
}

function leaseOf({ instance, settings }: Pick<RelayNeeds, "instance" | "settings">): LeaseTerms {
  return { owner: instance, leaseMs: settings.limits.taskLeaseMs };
}

export function deliveryOf(
  { settings, deadlines, telemetry }: Pick<RelayNeeds, "settings" | "deadlines" | "telemetry">,
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
    watchPieces: telemetry && ((callId) => telemetry.watchPieces(callId)),
  };
}

function unpricedMessage(isRefused: boolean, serviceTier: string | undefined): string {
  if (serviceTier !== undefined) return "service tier has no price: charged as the usual tier";
  return isRefused
    ? "model has no price: call refused"
    : "model has no price: its calls cost nothing";
}
