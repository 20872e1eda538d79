import { z } from "zod";
import { GATEWAY_OWNER } from "#core/key.ts";
import type { AccountDeps } from "#http/deps/accounts.ts";
import { requireUser } from "#http/require-user.ts";
import type { Exchange } from "#http/routes.ts";
import { BUDGETS, readBudgets, showBudgets, SHOWN_BUDGETS } from "../budget-fields.ts";
import { succeed } from "../envelope.ts";
import { management } from "../management.ts";
import { raiseRoutes } from "./raises.ts";

type BudgetDeps = Pick<AccountDeps, "clock" | "quotas">;

const PATH = "/api/gateway/budget";
const common = { tag: "Quota", path: PATH, data: z.object(SHOWN_BUDGETS) } as const;

export const getGatewayBudget = management({
  ...common,
  operationId: "getGatewayBudget",
  method: "GET",
  access: "auditor",
  scope: "usage:read",
  summary: "Budgets of all callers together, and the amounts spent.",
  handle: (exchange, deps: BudgetDeps) => answer(exchange, deps, ""),
});

export const setGatewayBudget = management({
  ...common,
  operationId: "setGatewayBudget",
  method: "PUT",
  access: "admin",
  scope: "settings:write",
  summary:
    "Sets budgets of all callers together. A call has to fit into them as into those of its key.",
  body: z.strictObject(BUDGETS),

  async handle(exchange, deps: BudgetDeps, { body }) {
    const note = `by ${requireUser(exchange).name}`;
    await deps.quotas.set(GATEWAY_OWNER, { budgets: readBudgets(body) }, note);
    return await answer(exchange, deps, "The budgets were set.");
  },
});

export const gatewayRaises = raiseRoutes({
  scope: "settings:write",
  of: "Gateway",
  whose: "all callers together",
  tag: "Quota",
  access: "admin",
  path: PATH,
  findOwner: () => GATEWAY_OWNER,
});

async function answer(exchange: Exchange, deps: BudgetDeps, message: string): Promise<Response> {
  const statuses = await deps.quotas.budgets(GATEWAY_OWNER);
  return succeed(exchange.id, message, showBudgets(statuses, deps.clock.now()));
}
