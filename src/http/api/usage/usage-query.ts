import { z } from "zod";
import { invalid } from "#core/error.ts";
import { FAMILIES } from "#core/family.ts";
import { USAGE_DIMENSIONS, type UsageDimension, type UsageQuery } from "#core/usage-report.ts";
import { defined } from "#lib/values.ts";
import { boundField, choiceField, idField, instantField, shortTextField } from "../query-fields.ts";

const HOUR_MS = 3_600_000;
const USUAL_MS = 30 * 24 * HOUR_MS;
/** Unix ms of the year 9999. */
const LATEST_MS = 253_402_300_800_000;
const MAX_NAME_CHARS = 256;
export const FORMATS = ["json", "csv"] as const;

/** Dimensions for users. */
const OWN: readonly UsageDimension[] = [
  "hour",
  "day",
  "month",
  "key",
  "model",
  "endpoint",
  "tag",
  "session",
];
/** Also by user, for owners of teams. Only auditors may group by channel. */
const TEAM: readonly UsageDimension[] = [...OWN, "user", "group"];

/** For users. */
export const OWN_QUERY = z.object({
  from: instantField("30 days before `to` if it is absent."),
  to: instantField("Now if it is absent."),
  by: byField(OWN),
  key_id: idField("Usage of this token."),
  model: shortTextField(MAX_NAME_CHARS, "Usage of this model."),
  endpoint: choiceField(FAMILIES, "Usage of this endpoint family."),
  tag: shortTextField(MAX_NAME_CHARS, "Usage of calls with this tag, such as `project=x`."),
  session: shortTextField(MAX_NAME_CHARS, "Usage of this session."),
  limit: boundField(1, 1_000, "Only the most expensive groups; the rest is `others`."),
  compare: choiceField(["previous"], "Adds the usage of the period before to each group."),
  format: choiceField(FORMATS, "CSV instead of JSON, as with `Accept: text/csv`."),
});

/** For owners of teams. */
export const TEAM_QUERY = OWN_QUERY.extend({
  by: byField(TEAM),
  user_id: idField("Usage of this user."),
  group_id: idField("Usage of users of this group."),
});

/** For auditors. */
export const QUERY = TEAM_QUERY.extend({
  by: byField(USAGE_DIMENSIONS),
  team_id: idField("Usage that this team was charged for."),
  channel: shortTextField(MAX_NAME_CHARS, "Usage of this channel."),
});

export type ReportQuery = z.output<typeof OWN_QUERY> & Partial<z.output<typeof QUERY>>;

export function readQuery(query: ReportQuery, now: number): UsageQuery {
  const { to = now, by } = query;
  const { from = to - USUAL_MS } = query;
  if (from < 0 || from >= to || to > LATEST_MS)
    throw invalid("from", "'from' must be before 'to'.");
  return {
    // Usage is summed per hour, so the range starts at a full hour.
    from: from - (from % HOUR_MS),
    to: Math.ceil(to / HOUR_MS) * HOUR_MS,
    by,
    ...defined({
      userId: query.user_id,
      keyId: query.key_id,
      teamId: query.team_id,
      groupId: query.group_id,
      model: query.model,
      channel: query.channel,
      endpoint: query.endpoint,
      tag: query.tag,
      session: query.session,
      limit: query.limit,
    }),
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
