import { PostgresDialect, type PostgresPool, type PostgresPoolClient } from "kysely";
import type { Pool, PoolClient } from "pg";
import { isStillGood } from "./failure.ts";

/**
 * PostgreSQL rejects texts with NUL, and clients may send one in any text. A
 * query parameter with NUL finds nothing; a stored text loses its NULs.
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
