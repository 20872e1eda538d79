import { PERIODS } from "#core/key.ts";
import { usd } from "../parsers.ts";
import { displayName } from "./display-name.ts";
import { fields, notEmpty } from "./fields.ts";

const budgets = fields({
  day: usd.schema.describe("US dollars per day, UTC.").optional(),
  month: usd.schema.describe("US dollars per month, UTC.").optional(),
}).check(notEmpty(`has no budget. Set ${PERIODS.join(", ")}, or leave it out.`));

export const TEAM = fields({
  name: displayName.schema.describe("Unique; 1 to 100 visible characters."),
  budgets: budgets.describe("Budgets of the team. Unlimited if absent.").optional(),
});
