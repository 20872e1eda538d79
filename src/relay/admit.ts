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

/** Makes the plan of a call, or throws the reason why it has none. */
interface Planner<C, R extends Candidate> {
  plan(call: C): Plan<R>;
}

interface Admitted<R extends Candidate> {
  readonly plan: Plan<R>;
  readonly settlement: Settlement;
}

/**
 * Admits a call or refuses it. A refused call costs nothing, but it is journalled, because its
 * owner will ask for the reason. Limits are checked before the plan and the hold, so that refused
 * calls do not load those. Its request stays counted; its tokens are released. Returns no promise
 * if this process decides alone.
 */
export function admit<C extends Endable<Served>, R extends Candidate>(
  call: C,
  planner: Planner<NoInfer<C>, R>,
  deps: AdmitDeps,
): Admitted<R> | Promise<Admitted<R>> {
  let claiming: ReturnType<typeof reserveForCaller>;
  try {
    claiming = reserveForCaller(call, deps);
  } catch (cause) {
    throw refused(call, cause, undefined, deps);
  }
  return claiming instanceof Promise
    ? admitAfter(claiming, call, planner, deps)
    : admitWithin(claiming, call, planner, deps);
}

async function admitAfter<C extends Endable<Served>, R extends Candidate>(
  claiming: Promise<RateReservation>,
  call: C,
  planner: Planner<NoInfer<C>, R>,
  deps: AdmitDeps,
): Promise<Admitted<R>> {
  let reservation: RateReservation;
  try {
    reservation = await claiming;
  } catch (cause) {
    throw refused(call, cause, undefined, deps);
  }
  return await admitWithin(reservation, call, planner, deps);
}

/** Within the caller's rate limits. */
function admitWithin<C extends Endable<Served>, R extends Candidate>(
  reservation: RateReservation | undefined,
  call: C,
  planner: Planner<NoInfer<C>, R>,
  deps: AdmitDeps,
): Admitted<R> | Promise<Admitted<R>> {
  try {
    const plan = planner.plan(call);
    if (needsPricing(plan, deps)) return admitPriced(plan, reservation, call, deps);
    const opening = Settlement.open(call, plan, deps, reservation);
    if (opening instanceof Promise) return admitHeld(opening, plan, reservation, call, deps);
    noteBudgets(call, deps);
    return { plan, settlement: opening };
  } catch (cause) {
    throw refused(call, cause, reservation, deps);
  }
}

async function admitPriced<R extends Candidate>(
  made: Plan<R>,
  reservation: RateReservation | undefined,
  call: Endable<Served>,
  deps: AdmitDeps,
): Promise<Admitted<R>> {
  let plan: Plan<R>;
  let opening: Settlement | Promise<Settlement>;
  try {
    plan = await pricedFor(call, made, deps);
    opening = Settlement.open(call, plan, deps, reservation);
  } catch (cause) {
    throw refused(call, cause, reservation, deps);
  }
  return await admitHeld(opening, plan, reservation, call, deps);
}

async function admitHeld<R extends Candidate>(
  opening: Settlement | Promise<Settlement>,
  plan: Plan<R>,
  reservation: RateReservation | undefined,
  call: Endable<Served>,
  deps: AdmitDeps,
): Promise<Admitted<R>> {
  try {
    const settlement = await opening;
    noteBudgets(call, deps);
    return { plan, settlement };
  } catch (cause) {
    throw refused(call, cause, reservation, deps);
  }
}

/** Releases what was reserved, and journals the call. */
function refused(
  call: Endable<Served>,
  cause: unknown,
  reservation: RateReservation | undefined,
  deps: AdmitDeps,
): GatewayError {
  if (reservation !== undefined) release(reservation, 0, deps.limiter);
  const error = GatewayError.from(cause);
  if (error instanceof UnpricedModel && error.candidate !== undefined) {
    deps.onUnpriced(unpricedNotice(call, error.candidate, true));
  }
  const record = recordOfRefusal(call, error, deps.clock);
  deps.journal.write(record);
  deps.onClosed(record);
  return error;
}

/** The accounts are read beside the call, and its answer warns of budgets as of the last reading. */
function noteBudgets(call: Served, { open: { budgets } }: AdmitDeps): void {
  if (budgets === undefined) return;
  budgets.note(call.key);
  const warnings = budgets.warningsOf(call.key, call.at);
  if (warnings.length > 0) call.onBudgetWarning?.(warnings);
}
