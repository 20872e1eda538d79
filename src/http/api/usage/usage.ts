import { z } from "zod";
import { invalid } from "#core/error.ts";
import { USAGE_DIMENSIONS, type UsageDimension, type UsageQuery } from "#core/usage-report.ts";
import { defined } from "#lib/values.ts";
import type { ReportDeps } from "#http/deps/reports.ts";
import { requireUser } from "#http/require-user.ts";
import { succeed } from "../envelope.ts";
import { management } from "../management.ts";
import { idField, instantField } from "../query-fields.ts";
import { REPORT, showReport } from "./usage-json.ts";

const common = { method: "GET", tag: "Usage", data: REPORT } as const;

const HOUR_MS = 3_600_000;
const USUAL_MS = 30 * 24 * HOUR_MS;
/** Unix ms of the year 9999. */
const LATEST_MS = 253_402_300_800_000;
const MAX_NAME_CHARS = 256;

/** Dimensions for users; only admins may group by channel or upstream. */
const OWN: readonly UsageDimension[] = ["hour", "day", "month", "key", "model"];

const PERIOD = {
  from: instantField("30 days before `to` if it is absent."),
  to: instantField("Now if it is absent."),
};
const OWN_FILTERS = {
  key_id: idField("Usage of this token."),
  model: nameField("Usage of this model."),
};

const OWN_QUERY = z.object({
  ...PERIOD,
  by: byField(OWN),
  ...OWN_FILTERS,
});

const QUERY = z.object({
  ...PERIOD,
  by: byField(USAGE_DIMENSIONS),
  user_id: idField("Usage of this user."),
  ...OWN_FILTERS,
  channel: nameField("Usage of this channel."),
});

export const getOwnUsage = management({
  operationId: "getOwnUsage",
  ...common,
  path: "/api/usage/self",
  access: "user",
  summary:
    "Your usage from `from` to `to`, by whole hours. `by` (any of hour, day, month, key, model, " +
    "separated by commas) groups it. Filters: `key_id`, `model`.",

  query: OWN_QUERY,

  async handle(exchange, { usage, clock }: Pick<ReportDeps, "usage" | "clock">, { query }) {
    const own = { ...readQuery(query, clock.now()), userId: requireUser(exchange).id };
    return succeed(exchange.id, "", showReport(own, await usage.report(own)));
  },
});

export const getUsage = management({
  operationId: "getUsage",
  ...common,
  path: "/api/usage",
  access: "auditor",
  summary:
    "Usage of all users, also by user and channel. Filters: `user_id`, `key_id`, `model`, `channel`.",

  query: QUERY,

  async handle(exchange, { usage, clock }: Pick<ReportDeps, "usage" | "clock">, { query }) {
    const asked = readQuery(query, clock.now());
    return succeed(exchange.id, "", showReport(asked, await usage.report(asked)));
  },
});

type Query = z.output<typeof OWN_QUERY> | z.output<typeof QUERY>;

function readQuery(query: Query, now: number): UsageQuery {
  const { to = now, by, model, key_id: keyId } = query;
  const userId = "user_id" in query ? query.user_id : undefined;
  const channel = "channel" in query ? query.channel : undefined;
  const { from = to - USUAL_MS } = query;
  if (from < 0 || from >= to || to > LATEST_MS)
    throw invalid("from", "'from' must be before 'to'.");
  return {
    // Usage is summed per hour, so the range starts at a full hour.
    from: from - (from % HOUR_MS),
    to: Math.ceil(to / HOUR_MS) * HOUR_MS,
    by,
    ...defined({ userId, keyId, model, channel }),
  };
}

function byField(known: readonly UsageDimension[]) {
  return z
    .string()
    .optional()
    .transform((text = "", context): readonly UsageDimension[] => {
      const given = text.split(",").filter((each) => each !== "");
      const isKnown = given.every((each) => known.some((name) => name === each));
      if (!isKnown) context.addIssue(`may have: ${known.join(", ")}`);
      return known.filter((each) => given.includes(each));
    })
    .meta({ description: `Groups the sums: any of ${known.join(", ")}, separated by commas.` });
}

function nameField(description: string) {
  return z
    .string()
    .optional()
    .transform((given = "", context) => {
      if (given.length > MAX_NAME_CHARS || given.includes("\0")) {
        context.addIssue("must be a name of valid length");
      }
      return given === "" ? undefined : given;
    })
    .meta({ description });
}
