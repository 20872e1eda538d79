import type { ApiKey } from "#core/key.ts";
import type { Ledger } from "#core/ledger.ts";
import type { Clock } from "#lib/clock.ts";
import type { Served } from "../call.ts";
import { isUnpriced, UnpricedModel, type Candidate, type Plan, type Router } from "./route.ts";

interface PricedDeps {
  readonly router: Router;
  readonly ledger: Pick<Ledger, "findAccount">;
}

/** Whether a quota or budget of the caller decides about channels of the plan. */
export function needsPricing(
  { routes }: Pick<Plan<Candidate>, "routes">,
  { router }: Pick<PricedDeps, "router">,
): boolean {
  return router.asksForBounds && routes.some(isUnpriced);
}

/**
 * The plan without unpriced channels, if a quota or budget applies: such a channel would not count
 * against it. Throws if none is left.
 */
export async function pricedFor<R extends Candidate>(
  { key, facts }: Pick<Served, "key" | "facts">,
  plan: Plan<R>,
  { router, ledger }: PricedDeps,
): Promise<Plan<R>> {
  if (!needsPricing(plan, { router })) return plan;
  if (!(await isBounded(key, ledger))) return plan;
  const routes = plan.routes.filter((each) => !isUnpriced(each));
  if (routes.length > 0) return { ...plan, routes };
  throw new UnpricedModel(facts.model, plan.routes, "a quota or budget binds this call");
}

/** Whether an account of the key has a quota or budget. */
export async function isBounded(
  { accounts, budgets = [] }: ApiKey,
  ledger: PricedDeps["ledger"],
): Promise<boolean> {
  if (budgets.length > 0) return true;
  for (const id of accounts) {
    const account = await ledger.findAccount(id);
    if (account !== undefined && account.granted !== null) return true;
  }
  return false;
}

/** The part of a call that has no known price: the model, or only the requested service tier. */
export type UnpricedPart = "model" | "service_tier";

/** The operator's notice about a model without a price. */
export interface UnpricedNotice {
  readonly model: string;
  readonly channel: string;
  readonly provider: string;
  /** The call was refused for it, and not served. */
  readonly isRefused: boolean;
  /** It has a price, but not for this service tier: the call costs as in the usual one. */
  readonly serviceTier?: string;
}

/** The notice for a call of the model on the channel. */
export function unpricedNotice(
  { facts }: Pick<Served, "facts">,
  { channel, provider }: Candidate,
  isRefused: boolean,
): UnpricedNotice {
  return { model: facts.model, channel: channel.name, provider: provider.id, isRefused };
}

const HOUR_MS = 3_600_000;
const MAX_MODELS = 1_000;

/** Forwards one notice per model and hour. */
export class UnpricedReport {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #tell: (notice: UnpricedNotice) => void;
  readonly #toldAt = new Map<string, number>();

  constructor(clock: Pick<Clock, "monotonic">, tell: (notice: UnpricedNotice) => void) {
    this.#clock = clock;
    this.#tell = tell;
  }

  note(notice: UnpricedNotice): void {
    const now = this.#clock.monotonic();
    const { model, serviceTier = "" } = notice;
    const subject = `${model} ${serviceTier}`;
    const toldAt = this.#toldAt.get(subject);
    if (toldAt !== undefined && now - toldAt < HOUR_MS) return;
    this.#toldAt.delete(subject);
    this.#toldAt.set(subject, now);
    const [oldest] = this.#toldAt.keys();
    if (oldest !== undefined && this.#toldAt.size > MAX_MODELS) this.#toldAt.delete(oldest);
    this.#tell(notice);
  }
}
