import { z } from "zod";
import { previousPeriod } from "#core/previous-period.ts";
import type { UsageQuery, UsageReports } from "#core/usage-report.ts";
import type { User } from "#core/user.ts";
import type { Answer } from "#http/answer.ts";
import type { ReportDeps } from "#http/deps/reports.ts";
import { requireUser } from "#http/require-user.ts";
import type { LoginPermission } from "#http/routes.ts";
import { succeed } from "../envelope.ts";
import { teamView } from "../log/call-view.ts";
import { envelope, management } from "../management.ts";
import { answerCsv, formatOf } from "../report-format.ts";
import { compareGroups } from "./compare.ts";
import { REPORT, reportRows, showReport, sortedGroups, type ShownReport } from "./usage-json.ts";
import {
  FORMATS,
  OWN_QUERY,
  QUERY,
  readQuery,
  TEAM_QUERY,
  type ReportQuery,
} from "./usage-query.ts";

const ANSWER: Answer = {
  description: "The report.",
  content: {
    "application/json": envelope(REPORT),
    "text/csv": z.string().describe("A row for each group, below a row of names."),
  },
};

interface UsageRoute extends LoginPermission {
  readonly operationId: string;
  readonly path: string;
  readonly summary: string;
}

type Scope = (user: User) => Pick<UsageQuery, "userId" | "teamId">;

function usageRoute<Q extends z.ZodObject<typeof OWN_QUERY.shape>>(
  route: UsageRoute,
  query: Q,
  scopeOf: Scope,
) {
  return management({
    ...route,
    method: "GET",
    tag: "Usage",
    query,
    answer: ANSWER,
    async handle(
      exchange,
      { usage, clock, displayCurrency }: Pick<ReportDeps, "usage" | "clock" | "displayCurrency">,
      input,
    ) {
      const asked = input.query as ReportQuery;
      const scope = scopeOf(requireUser(exchange));
      const query = { ...readQuery(asked, clock.now()), ...scope };
      const report = { ...(await compared(query, asked, usage)), display: displayCurrency };
      return formatOf(exchange, FORMATS, asked.format) === "csv"
        ? answerCsv(exchange, "usage", reportRows(report))
        : succeed(exchange.id, "", showReport(report));
    },
  });
}

export const getOwnUsage = usageRoute(
  {
    operationId: "getOwnUsage",
    path: "/api/usage/self",
    access: "user",
    scope: "usage:read",
    summary:
      "Your usage from `from` to `to`, by whole hours. `by` groups it; the most expensive first.",
  },
  OWN_QUERY,
  ({ id: userId }) => ({ userId }),
);

export const getTeamUsage = usageRoute(
  {
    operationId: "getTeamUsage",
    path: "/api/usage/team",
    access: "user",
    scope: "usage:read",
    summary: "Usage that a team was charged for, for its owners; also by user, without channels.",
  },
  TEAM_QUERY,
  (user) => teamView(user).scope,
);

export const getUsage = usageRoute(
  {
    operationId: "getUsage",
    path: "/api/usage",
    access: "auditor",
    scope: "usage:read",
    summary: "Usage of all users, also by user, team, group and channel.",
  },
  QUERY,
  () => ({}),
);

async function compared(
  query: UsageQuery,
  { compare }: ReportQuery,
  usage: UsageReports,
): Promise<ShownReport> {
  const { from, to, by } = query;
  const span = { from, to };
  const report = await usage.report(query);
  if (compare === undefined) {
    const groups = sortedGroups(report.groups);
    return { span, by, report, groups, names: await usage.namesOf(groups) };
  }
  const previous = previousPeriod(span);
  const isLimited = query.limit !== undefined;
  // A group that is dear now may have been cheap then.
  const all = isLimited ? { limit: Number.MAX_SAFE_INTEGER } : {};
  const before = { span: previous, report: await usage.report({ ...query, ...previous, ...all }) };
  const groups = sortedGroups(
    compareGroups(report, before.report, { now: span, before: previous }, isLimited),
  );
  return { span, by, report, before, groups, names: await usage.namesOf(groups) };
}
