import { invalid } from "#core/error.ts";
import type { TaskQuery } from "#core/task.ts";
import { object, text, type ObjectRule } from "#lib/rules.ts";

const MAX_ON_PAGE = 100;
const USUAL_ON_PAGE = 20;

/** The options of a remix; all others are those of its source. */
export const REMIX_REQUEST: ObjectRule = object({ "prompt!": text({ minLength: 1 }) });

/** The videos that a list query selects; newest first by default. */
export function readList(query: URLSearchParams): Omit<TaskQuery, "userId"> {
  const after = query.get("after") ?? "";
  const order = query.get("order") ?? "desc";
  if (order !== "asc" && order !== "desc") {
    throw invalid("order", "'order' must be asc or desc.");
  }
  return { limit: limitIn(query), order, ...(after === "" ? {} : { after }) };
}

function limitIn(query: URLSearchParams): number {
  const text = query.get("limit") ?? "";
  if (text === "") return USUAL_ON_PAGE;
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : Infinity;
  if (limit <= MAX_ON_PAGE) return limit;
  throw invalid("limit", `'limit' must be a whole number from 0 to ${MAX_ON_PAGE}.`);
}
