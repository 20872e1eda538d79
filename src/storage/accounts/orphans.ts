import type { Expression, ExpressionBuilder, SqlBool } from "kysely";
import type { Tables } from "../tables.ts";
import { LASTING } from "../tables/holds.ts";

/** A task is stored immediately after its hold. */
const WRITTEN_WITHIN_MS = 10 * 60_000;

/** The hold of a task that was never stored, because its process died before. */
export function isOrphan(
  hold: ExpressionBuilder<Tables, "holds">,
  now: number,
): Expression<SqlBool> {
  return hold.and([
    hold("holds.instance", "=", LASTING),
    hold("holds.opened_at", "<", now - WRITTEN_WITHIN_MS),
    hold.not(
      hold.exists(
        hold.selectFrom("tasks").select("tasks.id").whereRef("tasks.id", "=", "holds.call_id"),
      ),
    ),
  ]);
}
