import { BUDGETS } from "./budgets.ts";
import { fields } from "./fields.ts";

export const GATEWAY = fields({
  budgets: BUDGETS.describe("Budgets of all callers together. Unlimited if absent.").optional(),
});
