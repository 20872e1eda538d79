import { Database, type SQLQueryBindings, type Statement } from "bun:sqlite";
import type { Reply, Request } from "./writer.ts";

/**
 * The thread that holds the one connection that writes. It knows no table: it
 * is given statements once, by name and in the order they run in, and then
 * batches of rows for them. An entry point of its own, so it imports nothing
 * but types.
 */
declare const self: Worker;

let database: Database | undefined;
let statements: readonly (readonly [string, Statement])[] = [];

self.onmessage = ({ data }: MessageEvent<Request>) => {
  self.postMessage(answer(data));
};

function answer(request: Request): Reply {
  try {
    return { rows: [], changes: 0, ...perform(request) };
  } catch (error) {
    if (typeof request === "string") rollback();
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    return {
      failure: {
        code: typeof code === "string" ? code : "",
        message: error instanceof Error ? error.message : String(error),
      },
    };
  }
}

function perform(request: Request): { rows?: unknown[]; changes?: number } {
  // A batch comes as JSON text, which crosses threads faster than the object would.
  if (typeof request === "string") {
    runBatch(JSON.parse(request));
    return {};
  }
  switch (request.type) {
    case "open":
      database = new Database(request.path, { readwrite: true });
      for (const pragma of request.pragmas) database.run(pragma);
      return {};
    case "prepare": {
      const opened = connection();
      statements = Object.entries(request.statements).map(([name, text]) => [
        name,
        opened.prepare(text),
      ]);
      return {};
    }
    case "query": {
      const statement = connection().prepare<unknown, SQLQueryBindings[]>(request.sql);
      try {
        if (statement.columnNames.length > 0) return { rows: statement.all(...request.parameters) };
        return { changes: statement.run(...request.parameters).changes };
      } finally {
        statement.finalize();
      }
    }
    case "rollback":
      rollback();
      return {};
    case "close":
      // A connection with a statement left would live on until the collector finds it.
      for (const [, statement] of statements) statement.finalize();
      statements = [];
      database?.close(true);
      database = undefined;
      return {};
  }
}

function runBatch(rows: Record<string, SQLQueryBindings[][]>): void {
  const opened = connection();
  opened.run("begin immediate");
  for (const [name, statement] of statements) {
    for (const row of rows[name] ?? []) statement.run(...row);
  }
  opened.run("commit");
}

/** Some failures have ended the transaction already. */
function rollback(): void {
  if (database?.inTransaction === true) database.run("rollback");
}

function connection(): Database {
  if (database === undefined) throw new Error("The writer has no database open.");
  return database;
}
