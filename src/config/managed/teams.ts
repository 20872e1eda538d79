import type { NanoUsd } from "#core/money.ts";
import { writeUsd } from "#core/money.ts";
import type { Period } from "#core/key.ts";
import { PERIODS } from "#core/key.ts";
import type { Team } from "#core/team.ts";
import type { JsonObject } from "#lib/json.ts";
import { TEAM } from "../documents/team.ts";
import { listed, numeral, readNamed, type Section, type StoredById } from "./section.ts";

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
    readNamed(node, TEAM, report, ({ name, budgets: { day = null, month = null } = {} }) => {
      const budgets = { day, month };
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

function fieldsOf(budgets: Budgets): JsonObject {
  const said = PERIODS.flatMap((period) => {
    const { [period]: amount } = budgets;
    return amount === null ? [] : [[period, numeral(writeUsd(amount))] as const];
  });
  return said.length === 0 ? {} : { budgets: Object.fromEntries(said) };
}
