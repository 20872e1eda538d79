import { BufferedBytes } from "#relay/delivery/buffered-bytes.ts";
import type { CallDeps } from "#relay/call-deps.ts";
import { CallObservers } from "#relay/call-observers.ts";
import { BudgetWatch } from "#relay/metering/budget-watch.ts";
import { ChannelMinutes } from "#relay/metering/channel-minutes.ts";
import { openMetrics, type Metrics } from "#relay/metrics/metrics.ts";
import type { OperateDeps } from "#relay/operate.ts";
import type { RelayDeps } from "#relay/relay.ts";
import { Router } from "#relay/routing/route.ts";
import { Tasks } from "#relay/tasks/tasks.ts";
import {
  admissionOf,
  attemptsOf,
  deliveryOf,
  relayOf,
  schedulingOf,
  submissionOf,
  type RelayNeeds,
} from "./relay-deps.ts";

export interface Relay {
  readonly relay: RelayDeps & OperateDeps;
  readonly tasks: Tasks;
  readonly metrics: Metrics;
  /** Modules that are opened later may add theirs. */
  readonly observers: CallObservers;
  readonly channelMinutes: ChannelMinutes;
  /** Observers of used budgets may be added. */
  readonly budgetWatch: BudgetWatch;
}

/** Opens the relay for calls, and the scheduler of their tasks. */
export function openRelay(needs: RelayNeeds, opened: AsyncDisposableStack): Relay {
  const { channels, health, settings } = needs;
  const buffered = new BufferedBytes(settings.limits);
  const metrics = openMetrics({
    channels: () => channels.all,
    health,
    tasks: () => tasks.taskScheduler.size,
    openCalls: () => call.admission.open.count,
    bufferedBytes: () => buffered.total,
    catalogAgeDays: () => needs.catalogUpdates.describe().ageDays,
  });
  const observers = new CallObservers((cause) =>
    needs.problems.error("call observer", cause, "observer of a finished call failed"),
  );
  observers.add(metrics);
  const channelMinutes = new ChannelMinutes(needs.clock);
  observers.add(channelMinutes);
  if (needs.telemetry !== undefined) observers.add(needs.telemetry);
  const delivery = deliveryOf(needs, buffered);
  const router = new Router(channels, health, settings);
  const onError = (cause: unknown): void =>
    needs.problems.error("settlement", cause, "settlement failed: will retry");
  const budgetWatch = new BudgetWatch({
    ledger: needs.storage.ledger,
    clock: needs.clock,
    onError: (cause) =>
      needs.problems.error("budget observer", cause, "observer of budgets failed"),
  });
  const call: CallDeps = {
    admission: admissionOf(needs, router, delivery, { observers, budgetWatch, onError }),
    router,
    attempts: attemptsOf(needs, router, delivery),
  };
  const relay = relayOf(needs, call, delivery);
  const tasks = new Tasks(
    submissionOf(needs, relay, onError),
    schedulingOf(needs, { metrics, observers, onError }),
  );
  opened.defer(() => tasks.close());
  return { relay, tasks, metrics, observers, channelMinutes, budgetWatch };
}
