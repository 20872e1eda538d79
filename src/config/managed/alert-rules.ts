import type { AlertRuleDraft } from "#core/alert.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { ALERT_RULE, ruleOf } from "../documents/alert.ts";
import { listed, readNamed, sorted, type Section, type StoredById } from "./section.ts";

/** Rules of alerts. Silences are not part of the document. */
export const alertRules: Section<StoredById> = {
  async load(stores) {
    const found = await stores.alertRules.list();
    return new Map(
      found.map((rule) => [
        rule.name,
        { id: rule.id, fields: fieldsOf(rule), delete: (on) => on.alertRules.delete(rule.id) },
      ]),
    );
  },

  read: (node, stored, _, report) =>
    readNamed(node, ALERT_RULE, report, (given) => {
      const draft = ruleOf(given);
      const id = stored.get(draft.name)?.id;
      return {
        fields: fieldsOf(draft),
        save: ({ alertRules: store }) =>
          id === undefined
            ? store.create(draft)
            : store.change(id, {
                ...draft,
                destinations: draft.destinations ?? null,
                remindMinutes: draft.remindMinutes ?? null,
              }),
      };
    }),

  write: listed,
};

function fieldsOf({
  kind,
  isEnabled,
  terms,
  destinations,
  remindMinutes,
}: AlertRuleDraft): JsonObject {
  const { levels, ...numbers } = terms;
  const written = sorted(Object.entries(defined({ ...numbers, levels: levels && [...levels] })));
  return {
    kind,
    ...(isEnabled ? {} : { status: "disabled" }),
    ...(written.length === 0 ? {} : { terms: Object.fromEntries(written) }),
    ...defined({ destinations, remind_minutes: remindMinutes }),
  };
}
