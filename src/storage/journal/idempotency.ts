import { promisify } from "node:util";
import { zstdCompress, zstdDecompress } from "node:zlib";
import type { Insertable, Kysely, Selectable } from "kysely";
import { z } from "zod";
import type {
  IdempotencyRecord,
  IdempotencyResult,
  StoredReply,
  IdempotencyStore,
} from "#core/idempotency.ts";
import { countDeleted } from "../count-deleted.ts";
import type { Tables } from "../tables.ts";
import type { KeptAnswersTable } from "../tables/kept-answers.ts";

interface KeptAnswersDeps {
  readonly db: Kysely<Tables>;
  readonly instance: string;
  isAlive(instance: string): Promise<boolean>;
}

type Row = Selectable<KeptAnswersTable>;
type AnswerColumns = Pick<Row, "status" | "headers" | "body" | "size_bytes">;

const NO_ANSWER: AnswerColumns = { status: null, headers: null, body: null, size_bytes: 0 };

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
const headersOf = z.record(z.string(), z.string());

const DAY_MS = 86_400_000;
const MAX_PRUNED = 1_000;
/**
 * Between two reads another process may release or take over the record. After
 * this many attempts the call counts as running.
 */
const MAX_READS = 5;

export function createIdempotencyStore({
  db,
  instance,
  isAlive,
}: KeptAnswersDeps): IdempotencyStore {
  return {
    async claim(claim) {
      for (let looks = 0; looks < MAX_READS; looks++) {
        if (await insert(claim)) return { kind: "claimed" };
        const row = await find(claim.id);
        if (row === undefined) continue;
        const verdict = await judge(row, claim);
        if (verdict !== "free") return verdict;
        if (await takeOver(row, claim)) return { kind: "claimed" };
      }
      return { kind: "running" };
    },

    async keep({ id, callId }, answer, expiresAt) {
      await db
        .updateTable("kept_answers")
        .set({ state: "done", expires_at: expiresAt, ...(await columnsOf(answer)) })
        .where("id", "=", id)
        .where("call_id", "=", callId)
        .execute();
    },

    async release({ id, callId }) {
      await db
        .deleteFrom("kept_answers")
        .where("id", "=", id)
        .where("call_id", "=", callId)
        .where("state", "=", "running")
        .execute();
    },

    async prune(before, limit) {
      const oldest = db
        .selectFrom("kept_answers")
        .select("id")
        .where("expires_at", "<", before)
        .orderBy("expires_at")
        .limit(Math.min(limit, MAX_PRUNED));
      return await countDeleted(db.deleteFrom("kept_answers").where("id", "in", oldest));
    },

    async trim(maxBytesPerUser) {
      const greedy = await db
        .selectFrom("kept_answers")
        .select(({ fn }) => ["user_id", fn.sum("size_bytes").as("total")])
        .groupBy("user_id")
        .having(({ fn }) => fn.sum("size_bytes"), ">", maxBytesPerUser)
        .limit(MAX_PRUNED)
        .execute();
      let trimmed = 0;
      for (const { user_id, total } of greedy) {
        trimmed += await forgetOldest(user_id, Number(total) - maxBytesPerUser);
      }
      return trimmed;
    },
  };

  async function insert(claim: IdempotencyRecord): Promise<boolean> {
    const { numInsertedOrUpdatedRows = 0n } = await db
      .insertInto("kept_answers")
      .values(rowOf(claim, instance))
      .onConflict((conflict) => conflict.column("id").doNothing())
      .executeTakeFirstOrThrow();
    return numInsertedOrUpdatedRows > 0n;
  }

  async function find(id: string): Promise<Row | undefined> {
    return await db.selectFrom("kept_answers").selectAll().where("id", "=", id).executeTakeFirst();
  }

  async function judge(
    row: Row,
    { at, question }: IdempotencyRecord,
  ): Promise<IdempotencyResult | "free"> {
    if (row.expires_at <= at) return "free";
    if (row.question !== question) return { kind: "other_question" };
    if (row.state === "done") {
      return { kind: "done", callId: row.call_id, answer: await answerIn(row) };
    }
    const outcome = await outcomeOf(row.call_id);
    // The call ended without a response: its gateway is about to release the record, or failed to.
    if (outcome !== undefined && outcome !== "completed") return "free";
    if (row.ends_by > at && (await isAlive(row.instance))) return { kind: "running" };
    // The call is charged, or is a running task, but its gateway died before it
    // stored the response.
    if (outcome === "completed" || (await isTask(row.call_id))) {
      return { kind: "done", callId: row.call_id, answer: undefined };
    }
    return "free";
  }

  async function forgetOldest(userId: number, excessBytes: number): Promise<number> {
    const oldest = await db
      .selectFrom("kept_answers")
      .select(["id", "size_bytes"])
      .where("user_id", "=", userId)
      .where("size_bytes", ">", 0)
      .orderBy("expires_at")
      .limit(MAX_PRUNED)
      .execute();
    const ids: string[] = [];
    let left = excessBytes;
    for (const { id, size_bytes } of oldest) {
      if (left <= 0) break;
      ids.push(id);
      left -= size_bytes;
    }
    if (ids.length === 0) return 0;
    await db.updateTable("kept_answers").set(NO_ANSWER).where("id", "in", ids).execute();
    return ids.length;
  }

  async function outcomeOf(callId: string): Promise<string | undefined> {
    const call = await db
      .selectFrom("calls")
      .select("outcome")
      .where("id", "=", callId)
      .executeTakeFirst();
    return call?.outcome;
  }

  async function isTask(callId: string): Promise<boolean> {
    const task = await db
      .selectFrom("tasks")
      .select("id")
      .where("id", "=", callId)
      .executeTakeFirst();
    return task !== undefined;
  }

  /** Of concurrent claims that found the same row, the first succeeds. */
  async function takeOver({ call_id, state }: Row, claim: IdempotencyRecord): Promise<boolean> {
    const { numUpdatedRows } = await db
      .updateTable("kept_answers")
      .set({ ...rowOf(claim, instance), ...NO_ANSWER })
      .where("id", "=", claim.id)
      .where("call_id", "=", call_id)
      .where("state", "=", state)
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0n;
  }
}

function rowOf(claim: IdempotencyRecord, instance: string): Insertable<KeptAnswersTable> {
  return {
    id: claim.id,
    user_id: claim.userId,
    question: claim.question,
    call_id: claim.callId,
    instance,
    state: "running",
    ends_by: claim.endsBy,
    // The record of a gateway that dies is kept as long as a response.
    expires_at: claim.endsBy + DAY_MS,
    size_bytes: 0,
  };
}

async function columnsOf(answer: StoredReply | undefined): Promise<AnswerColumns> {
  if (answer === undefined) return NO_ANSWER;
  const { status, headers } = answer;
  const body = await compress(answer.body);
  return { status, headers: JSON.stringify(headers), body, size_bytes: body.length };
}

async function answerIn({ status, headers, body }: Row): Promise<StoredReply | undefined> {
  if (status === null || headers === null || body === null) return undefined;
  return {
    status,
    headers: headersOf.parse(JSON.parse(headers)),
    body: await decompress(body),
  };
}
