import { z } from "zod";
import { GatewayError } from "#core/error.ts";
import { MAX_CODES, type CodeBatch, type CodeRecord } from "#core/redemption-code.ts";
import { csv } from "#http/csv.ts";
import type { RedemptionDeps } from "#http/deps/joining.ts";
import { requireUser } from "#http/require-user.ts";
import type { Exchange } from "#http/routes.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import { succeed } from "../envelope.ts";
import { optional } from "../fields.ts";
import { envelope, items, management } from "../management.ts";
import { afterField, choiceField, pageSize } from "../query-fields.ts";
import { readId } from "../read-id.ts";
import { seconds } from "../seconds.ts";
import { showUsd, USD_ADDED } from "../usd.ts";

const common = { tag: "Redemption codes" } as const;

const BATCH = z
  .object({
    id: z.int(),
    state: z.enum(["open", "used_up", "expired", "revoked"]),
    value_usd: z.number(),
    count: z.int(),
    redeemed: z.int(),
    note: z.string().nullable(),
    created_by: z.int(),
    created_by_name: z.string(),
    created_at: z.int(),
    expires_at: z.int().nullable(),
    revoked_at: z.int().nullable(),
  })
  .meta({ id: "CodeBatch" });

const NEW_BATCH = z.strictObject({
  count: z.int().min(1).max(MAX_CODES),
  value_usd: USD_ADDED.describe("The quota that each code grants."),
  note: optional(z.string().min(1).max(500)),
  expires_in_seconds: optional(
    z
      .int()
      .min(60)
      .max(3_650 * 86_400),
  ).describe("Never if absent."),
});

const CREATED = z.object({ batch: BATCH, codes: z.array(z.string()) });

export const createCodeBatch = management({
  operationId: "createCodeBatch",
  ...common,
  method: "POST",
  path: "/api/code-batch",
  access: "admin",
  scope: "users:write",
  summary: "Creates redemption codes. They are not shown again; `format=csv` exports them.",
  query: z.object({ format: choiceField(["json", "csv"], "`json` if absent.") }),
  body: NEW_BATCH,
  answer: {
    description: "The codes.",
    content: { "application/json": envelope(CREATED), "text/csv": z.string() },
  },

  async handle(exchange, deps: Pick<RedemptionDeps, "clock" | "codes">, { query, body }) {
    const now = deps.clock.now();
    const { expires_in_seconds: validS, note, count } = body;
    const { id, codes } = await deps.codes.create({
      amount: body.value_usd,
      count,
      createdBy: requireUser(exchange).id,
      ...defined({ note, expiresAt: validS === undefined ? undefined : now + validS * 1_000 }),
    });
    exchange.note({ batch: id });
    const made = await requireBatch(deps, id);
    if (query.format !== "csv") {
      const batch = showBatch(made, now);
      return succeed(exchange.id, "The codes are not shown again.", { batch, codes });
    }
    const end = made.expiresAt === undefined ? null : seconds(made.expiresAt);
    const rows = codes.map((code) => [code, showUsd(made.amount), end, id]);
    return csv(exchange.id, `codes-${id}.csv`, [
      ["code", "value_usd", "expires_at", "batch"],
      ...rows,
    ]);
  },
});

export const listCodeBatches = management({
  operationId: "listCodeBatches",
  ...common,
  method: "GET",
  path: "/api/code-batch",
  access: "auditor",
  scope: "users:read",
  summary: "Batches of redemption codes by id; `after` is the last id of the previous page.",
  query: z.object({ after: afterField("a batch's"), page_size: pageSize(50, 100) }),
  data: items(BATCH),

  async handle(exchange, { codes, clock }: Pick<RedemptionDeps, "clock" | "codes">, { query }) {
    const { after, page_size: limit } = query;
    const found = await codes.list({ after, limit });
    return succeed(exchange.id, "", { items: found.map((each) => showBatch(each, clock.now())) });
  },
});

const CODE = z.object({
  id: z.int(),
  redeemed_by: z.int().nullable(),
  redeemed_by_name: z.string().nullable(),
  redeemed_at: z.int().nullable(),
});

export const listCodes = management({
  operationId: "listCodes",
  ...common,
  method: "GET",
  path: "/api/code-batch/:id",
  access: "auditor",
  scope: "users:read",
  summary:
    "A batch, and its codes by id with the users who redeemed them, without the codes' texts.",
  query: z.object({
    after: afterField("a code's"),
    page_size: pageSize(50, 100),
    state: choiceField(["redeemed", "unused"], "Only such codes."),
  }),
  data: z.object({ batch: BATCH, items: z.array(CODE) }),

  async handle(exchange, deps: Pick<RedemptionDeps, "clock" | "codes">, { query }) {
    const batch = await findBatch(exchange, deps);
    const { after, page_size: limit, state } = query;
    const isRedeemed = state === undefined ? undefined : state === "redeemed";
    const found = await deps.codes.codes(batch.id, { after, limit, ...defined({ isRedeemed }) });
    return succeed(exchange.id, "", {
      batch: showBatch(batch, deps.clock.now()),
      items: found.map(showCode),
    });
  },
});

export const revokeCodeBatch = management({
  operationId: "revokeCodeBatch",
  ...common,
  scope: "users:write",
  method: "DELETE",
  path: "/api/code-batch/:id",
  access: "admin",
  summary: "Ends all unused codes of a batch. Granted quota stays.",

  async handle(exchange, deps: Pick<RedemptionDeps, "codes">) {
    const { id } = await findBatch(exchange, deps);
    if (!(await deps.codes.revoke(id))) throw noSuchBatch();
    return succeed(exchange.id, "The unused codes were revoked.");
  },
});

function showBatch(batch: CodeBatch, now: number): JsonObject {
  const { expiresAt, revokedAt } = batch;
  return {
    id: batch.id,
    state: stateOf(batch, now),
    value_usd: showUsd(batch.amount),
    count: batch.count,
    redeemed: batch.redeemed,
    note: batch.note ?? null,
    created_by: batch.createdBy,
    created_by_name: batch.creator,
    created_at: seconds(batch.createdAt),
    expires_at: expiresAt === undefined ? null : seconds(expiresAt),
    revoked_at: revokedAt === undefined ? null : seconds(revokedAt),
  };
}

function stateOf({ revokedAt, redeemed, count, expiresAt = Infinity }: CodeBatch, now: number) {
  if (revokedAt !== undefined) return "revoked";
  if (redeemed >= count) return "used_up";
  return expiresAt <= now ? "expired" : "open";
}

function showCode({ id, redeemedBy, redeemedAt }: CodeRecord): JsonObject {
  return {
    id,
    redeemed_by: redeemedBy?.id ?? null,
    redeemed_by_name: redeemedBy?.name ?? null,
    redeemed_at: redeemedAt === undefined ? null : seconds(redeemedAt),
  };
}

async function findBatch(
  exchange: Exchange,
  deps: Pick<RedemptionDeps, "codes">,
): Promise<CodeBatch> {
  const id = readId(exchange.param("id"));
  if (id === undefined) throw noSuchBatch();
  return await requireBatch(deps, id);
}

async function requireBatch(
  { codes }: Pick<RedemptionDeps, "codes">,
  id: number,
): Promise<CodeBatch> {
  const found = await codes.find(id);
  if (found === undefined) throw noSuchBatch();
  return found;
}

function noSuchBatch(): GatewayError {
  return new GatewayError("not_found", "The batch does not exist, or was revoked.");
}
