import type { Kysely, Selectable } from "kysely";
import { GatewayError } from "#core/error.ts";
import { referencesTooLong, type ResponseStore, type StoredResponse } from "#core/responses.ts";
import { isArray, isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { countDeleted } from "../count-deleted.ts";
import type { Tables } from "../tables.ts";
import type { ResponsesTable } from "../tables/responses.ts";

/** Clients restart longer conversations, or send them whole in each request. */
const MAX_TURNS = 1_000;
const MAX_ITEMS = 500;
const MAX_PRUNED = 1_000;
/** Both engines limit the parameters of a statement; each row below uses two. */
const ROWS_PER_INSERT = 400;

export function createResponseStore(db: Kysely<Tables>): ResponseStore {
  return {
    async save(stored) {
      const items = outputItems(stored.response)
        .slice(0, ROWS_PER_INSERT)
        .map((item) => ({ id: item.id, response_id: stored.id }));
      await db.transaction().execute(async (transaction) => {
        await transaction.insertInto("responses").values(toRow(stored)).execute();
        if (items.length > 0)
          await transaction.insertInto("response_items").values(items).execute();
      });
    },

    async find(userId, id) {
      const row = await findRow(userId, id);
      return row === undefined ? undefined : fromRow(row);
    },

    async findConversation(userId, id, maxChars) {
      const rows: Selectable<ResponsesTable>[] = [];
      let chars = 0;
      let next: string | null = id;
      while (next !== null) {
        const row = await findRow(userId, next);
        if (row === undefined) return undefined;
        chars += row.input.length + row.response.length;
        if (chars > maxChars || rows.length === MAX_TURNS) throw tooLong();
        rows.push(row);
        next = row.previous_id;
      }
      return rows.reverse().map(fromRow);
    },

    async findItems(userId, itemIds, maxChars) {
      const wanted = new Set(itemIds.slice(0, MAX_ITEMS));
      if (wanted.size === 0) return new Map();
      const holders = db
        .selectFrom("responses")
        .where("user_id", "=", userId)
        .where("id", "in", (items) =>
          items
            .selectFrom("response_items")
            .select("response_id")
            .where("response_items.id", "in", [...wanted]),
        );
      const { chars } = await holders
        .select(({ fn }) => fn.sum(fn("length", ["response"])).as("chars"))
        .executeTakeFirstOrThrow();
      if (Number(chars) > maxChars) throw referencesTooLong();
      const rows = await holders.select("response").execute();
      const found = rows.flatMap(({ response }) => outputItems(objectIn(response)));
      return new Map(found.filter(({ id }) => wanted.has(id)).map(({ id, item }) => [id, item]));
    },

    async delete(userId, id) {
      const { numDeletedRows } = await db
        .deleteFrom("responses")
        .where("id", "=", id)
        .where("user_id", "=", userId)
        .executeTakeFirstOrThrow();
      return numDeletedRows > 0n;
    },

    async prune(before, limit) {
      const oldest = db
        .selectFrom("responses")
        .select("id")
        .where("created_at", "<", before)
        .orderBy("created_at")
        .limit(Math.min(limit, MAX_PRUNED));
      return await countDeleted(db.deleteFrom("responses").where("id", "in", oldest));
    },
  };

  async function findRow(
    userId: number,
    id: string,
  ): Promise<Selectable<ResponsesTable> | undefined> {
    return await db
      .selectFrom("responses")
      .selectAll()
      .where("id", "=", id)
      .where("user_id", "=", userId)
      .executeTakeFirst();
  }
}

function tooLong(): GatewayError {
  return new GatewayError(
    "context_length_exceeded",
    "The stored conversation is too long to continue. Send only its relevant part.",
    { param: "previous_response_id" },
  );
}

function outputItems(response: JsonObject): { id: string; item: JsonObject }[] {
  const { output } = response;
  return (isArray(output) ? output : [])
    .filter(isObject)
    .flatMap((item) => (typeof item["id"] === "string" ? [{ id: item["id"], item }] : []));
}

function toRow(stored: StoredResponse): ResponsesTable {
  return {
    id: stored.id,
    user_id: stored.userId,
    previous_id: stored.previousId ?? null,
    created_at: stored.createdAt,
    input: JSON.stringify(stored.input),
    response: JSON.stringify(stored.response),
  };
}

function fromRow(row: Selectable<ResponsesTable>): StoredResponse {
  return {
    id: row.id,
    userId: row.user_id,
    ...(row.previous_id === null ? {} : { previousId: row.previous_id }),
    createdAt: row.created_at,
    input: listIn(row.input),
    response: objectIn(row.response),
  };
}

function listIn(text: string): readonly Json[] {
  const json = parseJson(text);
  return isArray(json) ? json : [];
}

function objectIn(text: string): JsonObject {
  const json = parseJson(text);
  return isObject(json) ? json : {};
}
