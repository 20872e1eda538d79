import { PostgresDialect, type PostgresPool, type PostgresPoolClient } from "kysely";
import type { Pool, PoolClient } from "pg";
import { isStillGood } from "./failure.ts";

/**
 * PostgreSQL takes no text with a NUL in it, and callers may write one wherever
 * they write a text: what they look for by it is not there, and what they call
 * by it is called so but for the NUL.
 */
export function dialectOver(pool: Pool): PostgresDialect {
  const withoutNul: PostgresPool = {
    connect: async () => clientOver(await pool.connect()),
    end: () => pool.end(),
  };
  return new PostgresDialect({ pool: withoutNul });
}

function clientOver(client: PoolClient): PostgresPoolClient {
  let isGood = true;
  const query: unknown = async (sql: string, parameters: readonly unknown[]) => {
    try {
      return await client.query(sql, parameters.map(storable));
    } catch (cause) {
      isGood &&= isStillGood(cause);
      throw cause;
    }
  };
  return { query: query as PostgresPoolClient["query"], release: () => client.release(!isGood) };
}

function storable(parameter: unknown): unknown {
  const hasNul = typeof parameter === "string" && parameter.includes("\0");
  return hasNul ? parameter.replaceAll("\0", "\ufffd") : parameter;
}
