import { budgetsIn, changedTerms, scheduleIn } from "#core/budget.ts";
import { PERIODS, type Budget } from "#core/key.ts";
import { writeUsd } from "#core/money.ts";
import type { Team } from "#core/team.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { wholeChange } from "../documents/budgets.ts";
import { TEAM } from "../documents/team.ts";
import { listed, numeral, readNamed, type Section, type StoredById } from "./section.ts";

const PAGE = 1_000;

/** Names and budgets of teams; a team's total quota is not part of the document. */
export const teams: Section<StoredById> = {
  async load(stores) {
    const budgets = await stores.teams.budgets();
    const found: Team[] = [];
    for (;;) {
      const page = await stores.teams.list(found.at(-1)?.id ?? 0, PAGE);
      found.push(...page);
      if (page.length < PAGE) break;
    }
    return new Map(
      found.map(({ id, name }) => [
        name,
        {
          id,
          fields: fieldsOf(budgets.get(id) ?? []),
          delete: (on) => on.teams.delete(id),
        },
      ]),
    );
  },

  read: (node, stored, _, report) =>
    readNamed(node, TEAM, report, ({ name, budgets: described }) => {
      const budgets = wholeChange(described);
      const id = stored.get(name)?.id;
      return {
        fields: fieldsOf(asStored(budgets)),
        save: ({ teams: store }, note) =>
          id === undefined
            ? store.create({ name, budgets }, note)
            : store.change(id, { budgets }, note),
      };
    }),

  write: listed,
};

/** As the store would read them. */
function asStored(change: ReturnType<typeof wholeChange>): readonly Budget[] {
  const terms = PERIODS.flatMap((period) => {
    const after = changedTerms(undefined, change[period]);
    return after === undefined ? [] : [[period, after] as const];
  });
  return budgetsIn("team:0", Object.fromEntries(terms));
}

function fieldsOf(budgets: readonly Budget[]): JsonObject {
  const said = budgets.map((budget) => [budget.period, termsOf(budget)] as const);
  return said.length === 0 ? {} : { budgets: Object.fromEntries(said) };
}

/** An amount without terms of its own stands alone. */
function termsOf(budget: Budget): Json {
  const { amount, warn, schedule } = budget;
  const said = amount === null ? undefined : numeral(writeUsd(amount));
  if (said !== undefined && warn === undefined && schedule === undefined) return said;
  const { startDay, timeZone } = scheduleIn(budget);
  return defined({
    amount: said,
    warn: warn === undefined ? undefined : numeral(writeUsd(warn)),
    start_day: startDay === 1 ? undefined : startDay,
    time_zone: timeZone === "UTC" ? undefined : timeZone,
  });
}
