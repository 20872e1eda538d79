import { GATEWAY_OWNER } from "#core/key.ts";
import { wholeChange } from "../documents/budgets.ts";
import { GATEWAY } from "../documents/gateway.ts";
import { readDocument } from "../read-document.ts";
import { asStored, budgetFields } from "./budgets.ts";
import type { Section, Wanted } from "./section.ts";

const BUDGETS = "budgets";

/** The budgets of all callers together are its only object. */
export const gateway: Section = {
  async load(stores) {
    const budgets = await stores.gatewayBudgets.list();
    if (budgets.length === 0) return new Map();
    const remove: Wanted["save"] = (on, note) => on.gatewayBudgets.change(wholeChange(), note);
    return new Map([
      [
        BUDGETS,
        { fields: budgetFields(budgets), delete: (on) => remove(on, "configuration applied") },
      ],
    ]);
  },

  read(node, _stored, _terms, report) {
    const wanted = new Map<string, Wanted>();
    const described = readDocument(GATEWAY, node, report)?.budgets;
    if (described === undefined) return wanted;
    const change = wholeChange(described);
    return wanted.set(BUDGETS, {
      place: node.place,
      fields: budgetFields(asStored(GATEWAY_OWNER, change)),
      save: (stores, note) => stores.gatewayBudgets.change(change, note),
    });
  },

  write: (objects) => Object.fromEntries(objects),
};
