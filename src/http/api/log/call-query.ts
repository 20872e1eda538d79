import { z } from "zod";
import { FAULT_CODES } from "#core/call-filter.ts";
import type { CallFilter, CallPosition, CallQuery } from "#core/call.ts";
import { invalid } from "#core/error.ts";
import { FAMILIES } from "#core/family.ts";
import { defined } from "#lib/values.ts";
import {
  amountField,
  boundField,
  choiceField,
  idField,
  instantField,
  pageSize,
  shortTextField,
  textField,
} from "../query-fields.ts";

const OUTCOMES = ["completed", "failed", "canceled", "interrupted"] as const;
const SORTS = ["-time", "time"] as const;
const MAX_NAME_CHARS = 256;
const MAX_DURATION_MS = 10 ** 9;

/** Filters of a user's own calls. */
export const OWN_FILTER = z.object({
  from: instantField("Calls that ended at this time or later."),
  to: instantField("Calls that ended before this time."),
  outcome: choiceField(OUTCOMES, "How the call ended."),
  status: boundField(200, 599, "HTTP status of the answer, or of its failure."),
  fault: choiceField(FAULT_CODES, "The fault of a failed call."),
  model: shortTextField(MAX_NAME_CHARS, "The model that the client asked for."),
  style: shortTextField(MAX_NAME_CHARS, "The wire format of the client."),
  endpoint: choiceField(FAMILIES, "The endpoint family."),
  token: idField("Calls of this token."),
  session: textField("Calls of this session."),
  tag: shortTextField(MAX_NAME_CHARS, "A free tag of the call, such as `project=x`."),
  min_cost_usd: amountField("Calls of at least this cost in US dollars."),
  min_duration_ms: boundField(0, MAX_DURATION_MS, "Calls of at least this duration."),
  id: shortTextField(128, "The call with this id, the `x-request-id` of its answer."),
});

/** Also by user, for owners of teams. */
export const MEMBERS_FILTER = OWN_FILTER.extend({
  user: idField("Calls of this user."),
  team: idField("Calls of members of this team."),
  group: idField("Calls of users of this group."),
});

/** Also by upstream, for auditors. */
export const FILTER = MEMBERS_FILTER.extend({
  channel: shortTextField(
    MAX_NAME_CHARS,
    "Calls that this channel answered, or that failed on it.",
  ),
  failed_channel: shortTextField(
    MAX_NAME_CHARS,
    "Calls with a failed attempt on this channel, even if another channel answered them.",
  ),
  upstream_model: shortTextField(MAX_NAME_CHARS, "The model that the upstream was asked for."),
});

export const PAGE = {
  sort: choiceField(SORTS, "By end of call: `-time`, the latest first, or `time`."),
  page_size: pageSize(20, 100),
  before: textField("`next` of the previous page, or the id of its last call."),
};

export type Filter = Partial<z.output<typeof FILTER>>;
type Page = Pick<z.output<typeof FILTER>, never> & {
  readonly sort?: (typeof SORTS)[number] | undefined;
  readonly page_size: number;
  readonly before?: string | undefined;
};

export function filterIn(query: Filter): CallFilter {
  return defined({
    from: query.from,
    to: query.to,
    outcome: query.outcome,
    status: query.status,
    fault: query.fault,
    model: query.model,
    style: query.style,
    endpoint: query.endpoint,
    keyId: query.token,
    session: query.session,
    tag: query.tag,
    minCost: query.min_cost_usd,
    minDurationMs: query.min_duration_ms,
    userId: query.user,
    teamId: query.team,
    groupId: query.group,
    channel: query.channel,
    failedChannel: query.failed_channel,
    upstreamModel: query.upstream_model,
  });
}

export function pageIn(query: Filter & Page): CallQuery {
  return {
    ...filterIn(query),
    limit: query.page_size,
    isAscending: query.sort === "time",
    ...defined({ after: positionIn(query.before) }),
  };
}

/** A number of the journal, in the query. */
const NUMBER = /^seq-(\d{1,15})$/;

function positionIn(text: string | undefined): CallPosition | undefined {
  if (text === undefined) return undefined;
  const [, seq] = NUMBER.exec(text) ?? [];
  return seq === undefined ? { id: text } : { seq: Number(seq) };
}

/** The number that a client of a stream has received last. */
export function numberIn(lastEventId: string | null): number | undefined {
  if (lastEventId === null || lastEventId === "") return undefined;
  const position = positionIn(lastEventId);
  if (position !== undefined && "seq" in position) return position.seq;
  throw invalid("last-event-id", "'last-event-id' must be the id of an event of this stream.");
}

export function showPosition(seq: number | undefined): string | null {
  return seq === undefined ? null : `seq-${seq}`;
}
