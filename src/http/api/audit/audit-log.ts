import { z } from "zod";
import type { AuditQuery, AuditRow } from "#core/audit.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import type { ReportDeps } from "#http/deps/reports.ts";
import { succeed } from "../envelope.ts";
import { items, management } from "../management.ts";
import { idField, instantField, pageSize, wholeNumber } from "../query-fields.ts";
import { seconds } from "../seconds.ts";

const common = { method: "GET", access: "auditor", tag: "Audit" } as const;

const MAX_SEQ = 999_999_999;
const MAX_ACTION_CHARS = 200;

const PAGE = z.object({
  actor: idField("Rows of this user."),
  action: z
    .string()
    .optional()
    .transform((given) => given?.slice(0, MAX_ACTION_CHARS) || undefined)
    .meta({ description: "Method and path of a route, such as `PUT /api/user/:id`." }),
  since: instantField("The earliest."),
  until: instantField("The latest."),
  page_size: pageSize(20, 100),
  before: idField("The `seq` of the last row of the page before."),
});

const ROW = z
  .object({
    seq: z.int(),
    created_at: z.int(),
    actor_id: z.int().nullable(),
    actor: z.string().nullable(),
    role: z.string().nullable(),
    proof: z.string(),
    address: z.string().nullable(),
    user_agent: z.string().nullable(),
    request_id: z.string(),
    action: z.string(),
    object: z.looseObject({}),
    details: z.looseObject({}),
    outcome: z.string(),
    status: z.int().nullable(),
    digest: z.string(),
  })
  .meta({ id: "AuditRow" });

const HEAD = z.object({ seq: z.int(), digest: z.string() });

const CHECK = z.object({
  verified_to: z.int(),
  digest: z.string(),
  is_end: z.boolean(),
  broken: z.object({ seq: z.int(), problem: z.string() }).nullable(),
});

export const listAudit = management({
  operationId: "listAudit",
  ...common,
  scope: "audit:read",
  path: "/api/audit",
  summary:
    "Audit log of the management API, latest first. Filters: `actor` (a user's id), `action`, `since` " +
    "and `until`. `page_size`: number of rows; `before`: the last `seq` of the previous page.",

  query: PAGE,
  data: items(ROW),

  async handle(exchange, { audit }: Pick<ReportDeps, "audit">, { query }) {
    const rows = await audit.list(queryOf(query));
    return succeed(exchange.id, "", { items: rows.map(showRow) });
  },
});

export const getAuditHead = management({
  operationId: "getAuditHead",
  ...common,
  scope: "audit:read",
  path: "/api/audit/head",
  summary:
    "Number and digest of the latest row. Store them elsewhere to detect later that rows were removed.",
  data: HEAD,

  async handle(exchange, { audit }: Pick<ReportDeps, "audit">) {
    const { seq, digest } = (await audit.head()) ?? { seq: 0, digest: "" };
    return succeed(exchange.id, "", { seq, digest });
  },
});

export const verifyAudit = management({
  operationId: "verifyAudit",
  ...common,
  scope: "audit:read",
  path: "/api/audit/verify",
  summary:
    "Verifies a page of the audit log after `after_seq` and names the first invalid row. Until `is_end`, " +
    "continue with `verified_to`.",

  query: z.object({ after_seq: wholeNumber(0, MAX_SEQ, "The `verified_to` of the page before.") }),
  data: CHECK,

  async handle(exchange, { audit }: Pick<ReportDeps, "audit">, { query }) {
    const { last, broken, isEnd } = await audit.verify(query.after_seq);
    return succeed(exchange.id, broken === undefined ? "" : "The audit log was tampered with.", {
      verified_to: last?.seq ?? 0,
      digest: last?.digest ?? "",
      is_end: isEnd,
      broken: broken === undefined ? null : { seq: broken.seq, problem: broken.problem },
    });
  },
});

function queryOf({ page_size, actor, ...chosen }: z.output<typeof PAGE>): AuditQuery {
  return { limit: page_size, ...defined({ actorId: actor, ...chosen }) };
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
