import type { Database, SQLQueryBindings } from "bun:sqlite";
import {
  SelectQueryNode,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
} from "kysely";
import type { QueryReply, Writer, WriterSession } from "./writer.ts";

/** Kysely on one connection of this thread: for migrations, and for a reader next to a gateway. */
export function directDialect(database: Database): Dialect {
  const connection = connectionOf(async (sql, parameters) => query(database, sql, parameters));
  const run = async (sql: string): Promise<void> => void database.run(sql);
  return dialectOf({
    init: async () => {},
    acquireConnection: async () => connection,
    beginTransaction: () => run("begin immediate"),
    commitTransaction: () => run("commit"),
    rollbackTransaction: () => run("rollback"),
    releaseConnection: async () => {},
    destroy: async () => database.close(true),
  });
}

/**
 * Kysely on two connections: queries outside a transaction read on this thread.
 * All other queries run on the writer's connection, between two of its batches.
 */
export function sharedDialect(reader: Database, writer: Writer): Dialect {
  const sessions = new WeakMap<DatabaseConnection, WriterSession>();

  return dialectOf({
    init: async () => {},

    async acquireConnection() {
      const connection: DatabaseConnection = connectionOf(async (sql, parameters, isSelect) => {
        const session = sessions.get(connection);
        if (session !== undefined) return session.query(sql, parameters);
        if (isSelect) return query(reader, sql, parameters);

        const passing = await writer.enter();
        try {
          return await passing.query(sql, parameters);
        } finally {
          passing.leave();
        }
      });
      return connection;
    },

    async beginTransaction(connection) {
      const session = await writer.enter();
      try {
        await session.query("begin immediate", []);
      } catch (error) {
        session.leave();
        throw error;
      }
      sessions.set(connection, session);
    },
    async commitTransaction(connection) {
      await sessions.get(connection)?.query("commit", []);
    },
    async rollbackTransaction(connection) {
      await sessions.get(connection)?.rollback();
    },

    async releaseConnection(connection) {
      sessions.get(connection)?.leave();
      sessions.delete(connection);
    },
    destroy: async () => {},
  });
}

type RunQuery = (
  sql: string,
  parameters: readonly SQLQueryBindings[],
  isSelect: boolean,
) => Promise<QueryReply>;

function connectionOf(run: RunQuery): DatabaseConnection {
  return {
    async executeQuery<Row>(compiled: CompiledQuery): Promise<QueryResult<Row>> {
      const { rows, changes } = await run(
        compiled.sql,
        compiled.parameters.map(binding),
        SelectQueryNode.is(compiled.query),
      );
      // The query's author declares the row type; Kysely cannot check it.
      return { rows: rows as Row[], numAffectedRows: BigInt(changes) };
    },
    streamQuery() {
      throw new Error("Queries are paged, not streamed.");
    },
  };
}

function query(
  database: Database,
  sql: string,
  parameters: readonly SQLQueryBindings[],
): QueryReply {
  const statement = database.query<unknown, SQLQueryBindings[]>(sql);
  if (statement.columnNames.length > 0) return { rows: statement.all(...parameters), changes: 0 };
  return { rows: [], changes: statement.run(...parameters).changes };
}

function binding(value: unknown): SQLQueryBindings {
  switch (typeof value) {
    case "string":
    case "number":
    case "bigint":
      return value;
    case "boolean":
      return value ? 1 : 0;
    case "undefined":
      return null;
    default:
      if (value === null || value instanceof Uint8Array) return value;
      throw new TypeError("SQLite accepts only texts, numbers, bytes and null.");
  }
}

function dialectOf(driver: Driver): Dialect {
  return {
    createDriver: () => driver,
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createAdapter: () => new TransactionalAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  };
}

/** SQLite's schema changes are transactional; Kysely denies it only because it has no mutex. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}
