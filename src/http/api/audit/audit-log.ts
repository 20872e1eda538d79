import type { AuditQuery, AuditRow } from "#core/audit.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import type { HttpDeps } from "#http/deps.ts";
import type { Route } from "#http/routes.ts";
import { renderFailure, succeed } from "../envelope.ts";
import { idIn } from "../read-id.ts";
import { readInstant } from "../read-instant.ts";
import { wholeNumber } from "../whole-number.ts";
import { seconds } from "../seconds.ts";

const common = { method: "GET", access: "auditor", renderError: renderFailure } as const;

const PAGE_SIZE = { usual: 20, most: 100 } as const;
const MAX_SEQ = 999_999_999;
const MAX_ACTION_CHARS = 200;

export const listAudit: Route<HttpDeps> = {
  ...common,
  path: "/api/audit",
  summary:
    "What was done by the management API, latest first. `actor` (a user's id), `action`, `since` " +
    "and `until` choose; `page_size` says how many; `before` is the last `seq` of the page before.",

  async handle(exchange, { audit }) {
    const rows = await audit.list(queryOf(exchange.query));
    return succeed(exchange.id, "", { items: rows.map(showRow) });
  },
};

export const getAuditHead: Route<HttpDeps> = {
  ...common,
  path: "/api/audit/head",
  summary:
    "The latest row's number and digest: kept elsewhere, they show later that nothing was cut.",

  async handle(exchange, { audit }) {
    const { seq, digest } = (await audit.head()) ?? { seq: 0, digest: "" };
    return succeed(exchange.id, "", { seq, digest });
  },
};

export const verifyAudit: Route<HttpDeps> = {
  ...common,
  path: "/api/audit/verify",
  summary:
    "Checks a page of the audit log after `after_seq`, and names the first bad row. Until `is_end`, " +
    "go on with `verified_to`.",

  async handle(exchange, { audit }) {
    const after = wholeNumber(exchange.query, "after_seq", 0, MAX_SEQ);
    const { last, broken, isEnd } = await audit.verify(after);
    return succeed(exchange.id, broken === undefined ? "" : "The audit log was tampered with.", {
      verified_to: last?.seq ?? 0,
      digest: last?.digest ?? "",
      is_end: isEnd,
      broken: broken === undefined ? null : { seq: broken.seq, problem: broken.problem },
    });
  },
};

function queryOf(search: URLSearchParams): AuditQuery {
  const action = search.get("action")?.slice(0, MAX_ACTION_CHARS) ?? "";
  return {
    limit: wholeNumber(search, "page_size", PAGE_SIZE.usual, PAGE_SIZE.most),
    ...defined({
      actorId: idIn(search, "actor"),
      action: action === "" ? undefined : action,
      since: readInstant(search, "since"),
      until: readInstant(search, "until"),
      before: idIn(search, "before"),
    }),
  };
}

function showRow(row: AuditRow): JsonObject {
  return {
    seq: row.seq,
    created_at: seconds(row.at),
    actor_id: row.actorId,
    actor: row.actor,
    role: row.role,
    proof: row.proof,
    address: row.address,
    user_agent: row.userAgent,
    request_id: row.requestId,
    action: row.action,
    object: row.object,
    details: row.details,
    outcome: row.outcome,
    status: row.status,
    digest: row.digest,
  };
}
