import { invalid } from "#core/error.ts";
import type { TaskPageQuery } from "#core/task.ts";
import { defined } from "#lib/values.ts";
import { STATES } from "./write-task.ts";

const MAX_PAGES = 500;
const MAX_ON_PAGE = 500;
const USUAL_ON_PAGE = 10;
const MAX_IDS = 500;
const USUAL_TIER = "default";

/** The tasks that a list query selects. */
export function readList(query: URLSearchParams): Omit<TaskPageQuery, "userId"> {
  const page = numberIn(query, "page_num", MAX_PAGES, 1);
  const limit = numberIn(query, "page_size", MAX_ON_PAGE, USUAL_ON_PAGE);
  const tier = query.get("filter.service_tier") ?? USUAL_TIER;
  if (tier !== USUAL_TIER) {
    throw invalid("filter.service_tier", `'filter.service_tier' must be ${USUAL_TIER}.`);
  }
  const model = query.get("filter.model") ?? undefined;
  const ids = query.getAll("filter.task_ids").filter((id) => id !== "");
  if (ids.length > MAX_IDS) {
    throw invalid("filter.task_ids", `'filter.task_ids' must have at most ${MAX_IDS} ids.`);
  }
  return {
    skip: (page - 1) * limit,
    limit,
    ...defined({
      statuses: statesIn(query),
      model: model === "" ? undefined : model,
      ids: ids.length === 0 ? undefined : ids,
    }),
  };
}

function numberIn(query: URLSearchParams, name: string, most: number, usual: number): number {
  const text = query.get(name) ?? "";
  if (text === "") return usual;
  const value = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (value >= 1 && value <= most) return value;
  throw invalid(name, `'${name}' must be a whole number from 1 to ${most}.`);
}

function statesIn(query: URLSearchParams): TaskPageQuery["statuses"] {
  const word = query.get("filter.status") ?? "";
  if (word === "") return undefined;
  const states = STATES.get(word);
  if (states !== undefined) return states;
  const allowed = [...STATES.keys()].join(", ");
  throw invalid("filter.status", `'filter.status' must be one of ${allowed}.`);
}
