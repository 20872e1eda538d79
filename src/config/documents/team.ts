import { BUDGETS } from "./budgets.ts";
import { displayName } from "./display-name.ts";
import { fields } from "./fields.ts";

export const TEAM = fields({
  name: displayName.schema.describe("Unique; 1 to 100 visible characters."),
  budgets: BUDGETS.describe("Budgets of the team. Unlimited if absent.").optional(),
});
