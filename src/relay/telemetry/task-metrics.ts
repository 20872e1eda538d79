import type { Attributes, MetricState } from "#core/telemetry.ts";
import { Histogram } from "#lib/histogram.ts";
import { defined } from "#lib/values.ts";
import { telemetryNameOf } from "#providers/telemetry-name.ts";
import type { DeliveryAttempt } from "../tasks/deliver-webhooks.ts";
import type { PolledTask } from "../tasks/task-scheduler.ts";
import { deliveryError } from "./describe-task.ts";
import { histogramState, SECONDS } from "./histogram-state.ts";

/** Counts polls of tasks and attempts of webhooks. The attributes have few values. */
export class TaskMetrics {
  readonly #polls = new SecondsByAttributes();
  readonly #deliveries = new SecondsByAttributes();

  countPoll({ task, durationMs, found, fault }: PolledTask): void {
    const provider = task.place?.provider;
    const attributes = {
      "gen_ai.provider.name": provider && telemetryNameOf(provider),
      "sluice.task.found": found,
      "error.type": fault,
    };
    this.#polls.observe(defined(attributes), durationMs);
  }

  countDelivery({ delivery, durationMs, failure, state }: DeliveryAttempt): void {
    const attributes = {
      "sluice.webhook.kind": delivery.destinationId === undefined ? "task" : "alert",
      "sluice.webhook.state": state,
      "error.type": failure && deliveryError(failure.status),
    };
    this.#deliveries.observe(defined(attributes), durationMs);
  }

  read(): readonly MetricState[] {
    return [
      this.#polls.read("sluice.task.poll.duration", "Duration of a poll of a video task."),
      this.#deliveries.read("sluice.webhook.delivery.duration", "Duration of a webhook's attempt."),
    ].filter(({ points }) => points.length > 0);
  }
}

class SecondsByAttributes {
  readonly #all = new Map<
    string,
    { readonly attributes: Attributes; readonly seconds: Histogram }
  >();

  observe(attributes: Attributes, durationMs: number): void {
    const key = JSON.stringify(attributes);
    const known = this.#all.get(key) ?? { attributes, seconds: new Histogram(SECONDS) };
    this.#all.set(key, known);
    known.seconds.observe(durationMs / 1_000);
  }

  read(name: string, description: string): MetricState {
    return histogramState(name, "s", description, [...this.#all.values()], (each) => each.seconds);
  }
}
