import type { Journal } from "#core/call.ts";
import { GatewayError } from "#core/error.ts";
import type { RateReservation } from "#core/limits.ts";
import type { Served } from "./call.ts";
import {
  reserveForCaller,
  release,
  type RateReservationDeps,
} from "./metering/rate-reservations.ts";
import type { Endable } from "./metering/open-calls.ts";
import { recordOfRefusal } from "./metering/record.ts";
import { UnpricedModel, type Candidate, type Plan } from "./routing/route.ts";
import { needsPricing, pricedFor, unpricedNotice } from "./routing/unpriced.ts";
import { Settlement, type SettlementDeps } from "./metering/settlement.ts";

export interface AdmitDeps extends RateReservationDeps, SettlementDeps {
  readonly journal: Journal;
}

/**
 * Admits a call or refuses it. A refused call costs nothing, but it is journalled, because its
 * owner will ask for the reason. Limits are checked before the plan and the hold, so that refused
 * calls do not load those. Its request stays counted; its tokens are released.
 */
export async function admit<R extends Candidate>(
  call: Endable<Served>,
  makePlan: () => Plan<R>,
  deps: AdmitDeps,
): Promise<{ readonly plan: Plan<R>; readonly settlement: Settlement }> {
  let reservation: RateReservation | undefined;
  try {
    const claiming = reserveForCaller(call, deps);
    reservation = claiming instanceof Promise ? await claiming : claiming;
    const made = makePlan();
    const plan = needsPricing(made, deps) ? await pricedFor(call, made, deps) : made;
    const opening = Settlement.open(call, plan, deps, reservation);
    const settlement = opening instanceof Promise ? await opening : opening;
    noteBudgets(call, deps);
    return { plan, settlement };
  } catch (cause) {
    if (reservation !== undefined) release(reservation, 0, deps.limiter);
    const error = GatewayError.from(cause);
    if (error instanceof UnpricedModel && error.candidate !== undefined) {
      deps.onUnpriced(unpricedNotice(call, error.candidate, true));
    }
    const record = recordOfRefusal(call, error, deps.clock);
    deps.journal.write(record);
    deps.onClosed(record);
    throw error;
  }
}

/** The accounts are read beside the call, and its answer warns of budgets as of the last reading. */
function noteBudgets(call: Served, { open: { budgets } }: AdmitDeps): void {
  if (budgets === undefined) return;
  budgets.note(call.key);
  const warnings = budgets.warningsOf(call.key, call.at);
  if (warnings.length > 0) call.onBudgetWarning?.(warnings);
}
