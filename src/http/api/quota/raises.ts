import { z } from "zod";
import { invalid } from "#core/error.ts";
import { PERIODS, type OwnerId } from "#core/key.ts";
import { nanoUsd } from "#core/money.ts";
import type { AccountDeps } from "#http/deps/accounts.ts";
import { requireUser } from "#http/require-user.ts";
import type { Endpoint, Exchange, LoginPermission } from "#http/routes.ts";
import type { Tag } from "#http/tags.ts";
import { noSuchRaise, showBudgets, SHOWN_BUDGETS } from "../budget-fields.ts";
import { succeed } from "../envelope.ts";
import { management } from "../management.ts";
import { USD } from "../usd.ts";

const MAX_YEARS_MS = 10 * 366 * 86_400_000;
const LAST_SECOND = 253_402_300_799;

const RAISE = z.strictObject({
  period: z.enum(PERIODS).describe("The budget to raise."),
  add_usd: USD.describe("US dollars above the budget's amount, in each period until the end."),
  until: z.int().min(1).max(LAST_SECOND).describe("Unix seconds. The raise ends by itself."),
  reason: z.string().min(1).max(500),
});

const RAISED = z.object({ raise: z.string().optional(), ...SHOWN_BUDGETS });

type RaiseDeps = Pick<AccountDeps, "clock" | "quotas">;

interface RaiseRoutes<Deps> extends LoginPermission {
  /** End of the operations' ids: `Team`. */
  readonly of: string;
  readonly whose: string;
  readonly tag: Tag;
  /** The path of the owner. */
  readonly path: string;
  /** Refuses callers that may not change the owner's budgets. */
  findOwner(exchange: Exchange, deps: Deps): Promise<OwnerId> | OwnerId;
}

/** The two routes of temporary raises for one kind of owner. */
export function raiseRoutes<Deps>({
  of,
  whose,
  path,
  findOwner,
  ...common
}: RaiseRoutes<Deps>): readonly [Endpoint<Deps & RaiseDeps>, Endpoint<Deps & RaiseDeps>] {
  const raise = management({
    ...common,
    operationId: `raise${of}Budget`,
    method: "POST",
    path: `${path}/raise`,
    summary: `Raises a budget of ${whose} until a time. The amount of the budget stays.`,
    body: RAISE,
    data: RAISED,

    async handle(exchange, deps: Deps & RaiseDeps, { body }) {
      const { period, reason, add_usd: amount = null } = body;
      const until = body.until * 1_000;
      const now = deps.clock.now();
      if (amount === null || amount === nanoUsd(0)) {
        throw invalid("add_usd", "'add_usd' must be an amount in US dollars above 0.");
      }
      if (until <= now || until > now + MAX_YEARS_MS) {
        throw invalid("until", "'until' must be in the future, at most ten years from now.");
      }
      const owner = await findOwner(exchange, deps);
      const by = requireUser(exchange).name;
      const { id } = await deps.quotas.raise(owner, { period, amount, until, reason, by });
      return await answer(exchange, owner, deps, "The budget was raised.", { raise: id });
    },
  });

  const end = management({
    ...common,
    operationId: `end${of}Raise`,
    method: "DELETE",
    path: `${path}/raise/:raise`,
    summary: `Ends a raise of a budget of ${whose} before its time.`,
    data: RAISED,

    async handle(exchange, deps: Deps & RaiseDeps) {
      const owner = await findOwner(exchange, deps);
      if (!(await deps.quotas.endRaise(owner, exchange.param("raise")))) throw noSuchRaise();
      return await answer(exchange, owner, deps, "The raise was ended.", {});
    },
  });
  return [raise, end];
}

async function answer(
  exchange: Exchange,
  owner: OwnerId,
  { quotas, clock }: RaiseDeps,
  message: string,
  more: { readonly raise?: string },
): Promise<Response> {
  const shown = showBudgets(await quotas.budgets(owner), clock.now());
  return succeed(exchange.id, message, { ...more, ...shown });
}
