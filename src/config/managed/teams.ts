import type { Budget } from "#core/key.ts";
import type { Team } from "#core/team.ts";
import type { JsonObject } from "#lib/json.ts";
import { wholeChange } from "../documents/budgets.ts";
import { TEAM } from "../documents/team.ts";
import { asStored, budgetFields } from "./budgets.ts";
import { listed, readNamed, type Section, type StoredById } from "./section.ts";

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
        fields: fieldsOf(asStored("team:0", budgets)),
        save: ({ teams: store }, note) =>
          id === undefined
            ? store.create({ name, budgets }, note)
            : store.change(id, { budgets }, note),
      };
    }),

  write: listed,
};

function fieldsOf(budgets: readonly Budget[]): JsonObject {
  return budgets.length === 0 ? {} : { budgets: budgetFields(budgets) };
}
