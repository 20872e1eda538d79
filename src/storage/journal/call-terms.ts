import type { Selectable } from "kysely";
import { statusOf } from "#core/call-filter.ts";
import type { CallFilter } from "#core/call.ts";
import { readList, type CallsTable } from "../tables/calls.ts";

/** The columns that terms are made of. */
export const TERM_COLUMNS = [
  "user_id",
  "key_id",
  "team_id",
  "group_id",
  "outcome",
  "fault",
  "channel",
  "failed_channels",
  "model",
  "upstream_model",
  "style",
  "endpoint",
  "session_id",
  "tags",
] as const satisfies readonly (keyof CallsTable)[];

type Row = Pick<Selectable<CallsTable>, (typeof TERM_COLUMNS)[number]>;

/** Searches for many values share a term, since only its blocks are read. */
const MAX_TERM_CHARS = 200;

/** The properties of one call that a search can ask for. */
export function termsOf(row: Row): readonly string[] {
  const failed = readList(row.failed_channels);
  const channels = row.channel === null ? failed : [row.channel, ...failed];
  return [
    term("user", row.user_id),
    term("key", row.key_id),
    term("team", row.team_id),
    term("group", row.group_id),
    term("outcome", row.outcome),
    term("fault", row.fault),
    term("status", statusOf(row)),
    term("model", row.model),
    term("upstream", row.upstream_model),
    term("style", row.style),
    term("endpoint", row.endpoint),
    term("session", row.session_id),
    ...channels.map((each) => term("channel", each)),
    ...failed.map((each) => term("failed", each)),
    ...readList(row.tags).map((each) => term("tag", each)),
  ].filter((each) => each !== undefined);
}

/** The terms that a block with a match has; those that are usually rare are first. */
export function wantedTerms(filter: CallFilter): readonly string[] {
  return [
    term("session", filter.session),
    term("tag", filter.tag),
    term("failed", filter.failedChannel),
    term("fault", filter.fault),
    term("status", filter.status),
    term("key", filter.keyId),
    term("user", filter.userId),
    term("team", filter.teamId),
    term("upstream", filter.upstreamModel),
    term("model", filter.model),
    term("channel", filter.channel),
    term("group", filter.groupId),
    term("outcome", filter.outcome),
    term("style", filter.style),
    term("endpoint", filter.endpoint),
  ].filter((each) => each !== undefined);
}

function term(name: string, value: string | number | null | undefined): string | undefined {
  if (value === null || value === undefined) return undefined;
  return `${name}=${value}`.slice(0, MAX_TERM_CHARS);
}
