import type { Kysely } from "kysely";
import type { AlertRuleChange, AlertRuleDraft, AlertRuleStore } from "#core/alert.ts";
import { GatewayError, invalid } from "#core/error.ts";
import type { Clock } from "#lib/clock.ts";
import { defined } from "#lib/values.ts";
import { inTransaction } from "../database/in-transaction.ts";
import { isUniqueViolation } from "../database/unique.ts";
import type { Tables } from "../tables.ts";
import { toRule } from "../tables/alerts.ts";

const MAX_RULES = 200;

export function createAlertRules(db: Kysely<Tables>, clock: Clock): AlertRuleStore {
  return {
    async list() {
      const rows = await db.selectFrom("alert_rules").selectAll().orderBy("id").execute();
      return rows.map(toRule);
    },

    create: (draft) =>
      named(draft.name, () =>
        inTransaction(db, async (transaction) => {
          await checkDestinations(transaction, draft.destinations);
          const { count } = await transaction
            .selectFrom("alert_rules")
            .select(({ fn, cast }) => cast<number>(fn.countAll(), "bigint").as("count"))
            .executeTakeFirstOrThrow();
          if (Number(count) >= MAX_RULES) throw tooMany();
          const row = await transaction
            .insertInto("alert_rules")
            .values({ ...columnsOfDraft(draft), silenced_until: null })
            .returningAll()
            .executeTakeFirstOrThrow();
          return toRule(row);
        }),
      ),

    change: (id, change) =>
      named(change.name ?? "", () =>
        inTransaction(db, async (transaction) => {
          await checkDestinations(transaction, change.destinations ?? undefined);
          const columns = columnsOf(change);
          if (Object.keys(columns).length > 0) {
            await transaction
              .updateTable("alert_rules")
              .set(columns)
              .where("id", "=", id)
              .execute();
          }
          const row = await transaction
            .selectFrom("alert_rules")
            .selectAll()
            .where("id", "=", id)
            .executeTakeFirst();
          return row && toRule(row);
        }),
      ),

    delete: (id) =>
      inTransaction(db, async (transaction) => {
        await transaction
          .updateTable("alerts")
          .set({ ended_at: clock.now(), open_key: null })
          .where("rule_id", "=", id)
          .where("open_key", "is not", null)
          .execute();
        const { numDeletedRows } = await transaction
          .deleteFrom("alert_rules")
          .where("id", "=", id)
          .executeTakeFirstOrThrow();
        return numDeletedRows > 0n;
      }),

    async silence(id, until) {
      const { numUpdatedRows } = await db
        .updateTable("alert_rules")
        .set({ silenced_until: until })
        .where("id", "=", id)
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },
  };
}

function columnsOfDraft(draft: AlertRuleDraft) {
  return {
    name: draft.name,
    kind: draft.kind,
    is_enabled: Number(draft.isEnabled),
    terms: JSON.stringify(draft.terms),
    destinations: draft.destinations === undefined ? null : JSON.stringify(draft.destinations),
    remind_minutes: draft.remindMinutes ?? null,
  };
}

function columnsOf(change: AlertRuleChange) {
  const { name, kind, isEnabled, terms, destinations, remindMinutes } = change;
  return defined({
    name,
    kind,
    is_enabled: isEnabled === undefined ? undefined : Number(isEnabled),
    terms: terms === undefined ? undefined : JSON.stringify(terms),
    destinations:
      destinations === undefined || destinations === null
        ? destinations
        : JSON.stringify(destinations),
    remind_minutes: remindMinutes,
  });
}

async function checkDestinations(
  db: Kysely<Tables>,
  names: readonly string[] | undefined,
): Promise<void> {
  if (names === undefined || names.length === 0) return;
  const rows = await db
    .selectFrom("alert_destinations")
    .select("name")
    .where("name", "in", names)
    .execute();
  const known = new Set(rows.map(({ name }) => name));
  const missing = names.find((name) => !known.has(name));
  if (missing === undefined) return;
  throw invalid("destinations", `There is no destination named '${missing}'. Create it first.`);
}

async function named<T>(name: string, change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (cause) {
    if (!isUniqueViolation(cause)) throw cause;
    throw invalid("name", `A rule named '${name}' already exists. Choose another name.`);
  }
}

function tooMany(): GatewayError {
  return new GatewayError(
    "invalid_request",
    `The limit of ${MAX_RULES} alert rules is reached. Delete some first.`,
  );
}
