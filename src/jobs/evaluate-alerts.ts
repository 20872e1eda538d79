import type { AlertStore } from "#core/alert.ts";
import type { AlertWatch } from "#relay/alerts/watch.ts";
import type { Clock } from "#lib/clock.ts";
import { pruneJob } from "./prune-job.ts";
import type { Job } from "./scheduler.ts";

const DAY_MS = 86_400_000;
const KEPT_MS = 90 * DAY_MS;
const BATCH = 500;

/** Evaluates the alert rules; the setting may change while the gateway runs. */
export function evaluateAlerts(
  watch: Pick<AlertWatch, "run">,
  limits: { readonly alertMs: number },
): Job {
  return {
    name: "evaluate-alerts",
    get everyMs() {
      return limits.alertMs;
    },
    run: () => watch.run(),
  };
}

export function pruneAlerts(alerts: Pick<AlertStore, "prune">, clock: Clock): Job {
  const prune = async (before: number): Promise<boolean> =>
    (await alerts.prune(before, BATCH)) === BATCH;
  return pruneJob("prune-alerts", clock, () => KEPT_MS, prune);
}
