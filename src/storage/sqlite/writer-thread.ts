import { Database, type SQLQueryBindings, type Statement } from "bun:sqlite";
import type { Reply, Request } from "./writer.ts";

/**
 * The thread with the only writing connection. It knows no tables: it gets
 * statements once, with names and order, and then batches of rows for them. It
 * is a separate entry point, so it imports only types.
 */
declare const self: Worker;

let database: Database | undefined;
/** By name and number of parameters. */
let statements: readonly (readonly [string, ReadonlyMap<number, Statement>])[] = [];

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
  // A batch arrives as JSON text, which crosses threads faster than an object.
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
      statements = Object.entries(request.statements).map(([name, texts]) => {
        const prepared = texts.map((text) => opened.prepare(text));
        return [name, new Map(prepared.map((each) => [each.paramsCount, each]))];
      });
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
      // An unfinalised statement would keep the connection open until garbage collection.
      for (const [, prepared] of statements) for (const each of prepared.values()) each.finalize();
      statements = [];
      database?.close(true);
      database = undefined;
      return {};
  }
}

function runBatch(rows: Readonly<Record<string, SQLQueryBindings[][] | undefined>>): void {
  const opened = connection();
  opened.run("begin immediate");
  for (const [name, prepared] of statements) {
    const all = rows[name];
    if (all === undefined) continue;
    // A row is one argument: the runtime would copy a list of arguments.
    for (const row of all) statementFor(row, prepared).run(row);
  }
  opened.run("commit");
}

function statementFor({ length }: readonly unknown[], prepared: ReadonlyMap<number, Statement>) {
  const statement = prepared.get(length);
  if (statement === undefined) throw new Error(`No statement takes ${length} values.`);
  return statement;
}

/** Some errors have already ended the transaction. */
function rollback(): void {
  if (database?.inTransaction === true) database.run("rollback");
}

function connection(): Database {
  if (database === undefined) throw new Error("The writer has no database open.");
  return database;
}
