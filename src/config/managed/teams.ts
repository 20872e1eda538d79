import type { NanoUsd } from "#core/money.ts";
import { writeUsd } from "#core/money.ts";
import type { Period } from "#core/key.ts";
import { PERIODS } from "#core/key.ts";
import type { Team } from "#core/team.ts";
import type { JsonObject } from "#lib/json.ts";
import { type Form, openForm } from "../form.ts";
import { usd } from "../keys.ts";
import type { Report } from "../mistakes.ts";
import { listed, numeral, readNamed, type Section, type StoredById } from "./section.ts";

const FIELDS = ["name", "budgets"];
const PAGE = 1_000;

type Budgets = Readonly<Record<Period, NanoUsd | null>>;
const NO_BUDGETS: Budgets = { day: null, month: null };

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
          fields: fieldsOf(budgets.get(id) ?? NO_BUDGETS),
          delete: (on) => on.teams.delete(id),
        },
      ]),
    );
  },

  read: (node, stored, _, report) =>
    readNamed(node, FIELDS, report, (form, name) => {
      const budgets = readBudgets(form, report);
      const id = stored.get(name)?.id;
      return {
        fields: fieldsOf(budgets),
        save: ({ teams: store }, note) =>
          id === undefined
            ? store.create({ name, budgets }, note)
            : store.change(id, { budgets }, note),
      };
    }),

  write: listed,
};

function readBudgets(form: Form, report: Report): Budgets {
  const node = form.find("budgets");
  const budgets = node && openForm(node, PERIODS, report);
  if (budgets === undefined) return NO_BUDGETS;
  if (!PERIODS.some((period) => budgets.find(period) !== undefined)) {
    report(budgets.place, `has no budget. Set ${PERIODS.join(", ")}, or leave it out.`);
  }
  const [day = null, month = null] = [budgets.optional("day", usd), budgets.optional("month", usd)];
  return { day, month };
}

function fieldsOf(budgets: Budgets): JsonObject {
  const said = PERIODS.flatMap((period) => {
    const { [period]: amount } = budgets;
    return amount === null ? [] : [[period, numeral(writeUsd(amount))] as const];
  });
  return said.length === 0 ? {} : { budgets: Object.fromEntries(said) };
}
