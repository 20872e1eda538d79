import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../json.ts";
import { field, readInteger, readList, readText } from "../openai/fields.ts";
import { invalidValue, refused } from "./error.ts";
import { statusOf } from "./bodies.ts";
import type { KlingTask } from "./order.ts";

/** A page by its number, as the older style has it. */
export function pageByNumber(
  tasks: readonly KlingTask[],
  query: URLSearchParams,
): readonly KlingTask[] {
  const page = readNumber(query, "pageNum", 1, 1_000);
  const size = readNumber(query, "pageSize", 30, 500);
  return tasks.slice((page - 1) * size, page * size);
}

function readNumber(query: URLSearchParams, name: string, usual: number, most: number): number {
  const text = query.get(name);
  if (text === null) return usual;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= most) return value;
  throw invalidValue(name, `must be a whole number from 1 to ${most}`);
}

/** A page from a cursor on, as the newer style has it. */
export function pageByCursor(
  tasks: readonly KlingTask[],
  given: Json | undefined,
  now: number,
  bodyOf: (task: KlingTask) => JsonObject,
): JsonObject {
  if (given !== undefined && !isJsonObject(given)) throw refused(1200);
  const body = given ?? {};
  const from = readInteger(field(body, "start_time"), 0, Number.MAX_SAFE_INTEGER) ?? 0;
  const to = readInteger(field(body, "end_time"), 0, Number.MAX_SAFE_INTEGER) ?? Infinity;
  const limit = readInteger(field(body, "limit"), 1, 500) ?? 100;
  const cursor = readText(field(body, "cursor")) ?? "";
  const filters = (readList(field(body, "filters"), 0, 10) ?? []).map(readFilter);

  const found = tasks.filter(
    (task) =>
      task.createdAt >= from && task.createdAt <= to && filters.every((fits) => fits(task, now)),
  );
  const after = found.findIndex(({ id }) => id === cursor);
  if (cursor !== "" && after < 0) throw invalidValue("cursor", "is not known");
  const page = found.slice(after + 1, after + 1 + limit);
  const hasMore = after + 1 + limit < found.length;
  return {
    result: page.map((task) => bodyOf(task)),
    count: page.length,
    next_cursor: hasMore ? (page.at(-1)?.id ?? "") : "",
    has_more: hasMore,
  };
}

function readFilter(filter: Json, index: number): (task: KlingTask, now: number) => boolean {
  const { key, values } = isJsonObject(filter) ? filter : {};
  if (!isJsonArray(values)) throw invalidValue(`filters[${index}].values`, "must be a list");
  if (key === "status") return (task, now) => values.includes(statusOf(task, now));
  if (key === "product_type") return (task) => values.includes(task.requested.product);
  throw invalidValue(`filters[${index}].key`, "must be status or product_type");
}
