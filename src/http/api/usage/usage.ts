import { invalid } from "#core/error.ts";
import { USAGE_DIMENSIONS, type UsageDimension, type UsageQuery } from "#core/usage-report.ts";
import { defined } from "#lib/values.ts";
import type { HttpDeps } from "#http/deps.ts";
import { requireUser } from "#http/require-user.ts";
import type { Route } from "#http/routes.ts";
import { renderFailure, succeed } from "../envelope.ts";
import { idIn } from "../read-id.ts";
import { readInstant } from "../read-instant.ts";
import { showReport } from "./usage-json.ts";

const common = { method: "GET", renderError: renderFailure } as const;

const HOUR_MS = 3_600_000;
const USUAL_MS = 30 * 24 * HOUR_MS;
/** Unix ms of the year 9999. */
const LATEST_MS = 253_402_300_800_000;
const MAX_NAME_CHARS = 256;

/** Dimensions for users; only admins may group by channel or upstream. */
const OWN: readonly UsageDimension[] = ["hour", "day", "month", "key", "model"];
const OWN_FILTERS = ["key_id", "model"];
const FILTERS = ["user_id", ...OWN_FILTERS, "channel"];

export const getOwnUsage: Route<HttpDeps> = {
  ...common,
  path: "/api/usage/self",
  access: "user",
  summary:
    "How much you used from `from` to `to`, to the hour; `by` (any of hour, day, month, key, model, " +
    "with commas) tells it apart; `key_id` and `model` choose.",

  async handle(exchange, { usage, clock }) {
    const query = readQuery(exchange.query, OWN, OWN_FILTERS, clock.now());
    const own = { ...query, userId: requireUser(exchange).id };
    return succeed(exchange.id, "", showReport(own, await usage.report(own)));
  },
};

export const getUsage: Route<HttpDeps> = {
  ...common,
  path: "/api/usage",
  access: "auditor",
  summary:
    "The same of everybody, also by user and channel; `user_id`, `key_id`, `model` and `channel` choose.",

  async handle(exchange, { usage, clock }) {
    const query = readQuery(exchange.query, USAGE_DIMENSIONS, FILTERS, clock.now());
    return succeed(exchange.id, "", showReport(query, await usage.report(query)));
  },
};

function readQuery(
  search: URLSearchParams,
  dimensions: readonly UsageDimension[],
  filters: readonly string[],
  now: number,
): UsageQuery {
  for (const filter of FILTERS) {
    if (filters.includes(filter) || !search.has(filter)) continue;
    throw invalid(filter, `'${filter}' is not known here; choose by: ${filters.join(", ")}.`);
  }
  const to = readInstant(search, "to") ?? now;
  const from = readInstant(search, "from") ?? to - USUAL_MS;
  if (from < 0 || from >= to || to > LATEST_MS)
    throw invalid("from", "'from' must be before 'to'.");
  return {
    // Usage is summed per hour, so the range starts at a full hour.
    from: from - (from % HOUR_MS),
    to: Math.ceil(to / HOUR_MS) * HOUR_MS,
    by: readDimensions(search, dimensions),
    ...defined({
      userId: idIn(search, "user_id"),
      keyId: idIn(search, "key_id"),
      model: nameIn(search, "model"),
      channel: nameIn(search, "channel"),
    }),
  };
}

function readDimensions(
  search: URLSearchParams,
  known: readonly UsageDimension[],
): readonly UsageDimension[] {
  const given = (search.get("by") ?? "").split(",").filter((each) => each !== "");
  const unknown = given.find((each) => !known.some((name) => name === each));
  if (unknown !== undefined) throw invalid("by", `'by' may have: ${known.join(", ")}.`);
  return known.filter((each) => given.includes(each));
}

function nameIn(search: URLSearchParams, name: string): string | undefined {
  const given = search.get(name) ?? "";
  if (given.length > MAX_NAME_CHARS || given.includes("\0")) {
    throw invalid(name, `'${name}' is too long for a name, or is none.`);
  }
  return given === "" ? undefined : given;
}
