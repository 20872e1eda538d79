import type { SQLQueryBindings } from "bun:sqlite";
import type { Values } from "../tables/columns.ts";
import { SqliteFailure, THREAD_DIED } from "./failure.ts";
import { createLane } from "./lane.ts";

/** A message to the writer thread, one at a time; a batch is a JSON text. */
export type Request =
  | string
  | { readonly type: "open"; readonly path: string; readonly pragmas: readonly string[] }
  | { readonly type: "prepare"; readonly statements: NamedStatements }
  | {
      readonly type: "query";
      readonly sql: string;
      readonly parameters: readonly SQLQueryBindings[];
    }
  | { readonly type: "rollback" }
  | { readonly type: "close" };

export type Reply =
  | { readonly failure: { readonly code: string; readonly message: string } }
  | { readonly rows: unknown[]; readonly changes: number };

/** Of each name, the statement with as many parameters as a row has values runs for it. */
type NamedStatements = Readonly<Record<string, readonly string[]>>;

/** Rows for prepared statements, by statement name. */
export interface Batch {
  readonly [statement: string]: readonly Values[] | undefined;
}

/** The only writing connection, on its own thread. */
export interface Writer {
  /** Prepares the statements of batches; they run in this order. */
  prepare(statements: NamedStatements): Promise<void>;
  /** Runs a batch in one transaction. */
  run(batch: Batch): Promise<void>;
  /** Gives exclusive access to the connection, until the caller leaves or its time is up. */
  enter(): Promise<WriterSession>;
  close(): Promise<void>;
}

export interface WriterSession {
  query(sql: string, parameters: readonly SQLQueryBindings[]): Promise<QueryReply>;
  /** Rolls back an open transaction. */
  rollback(): Promise<void>;
  leave(): void;
}

export interface QueryReply {
  readonly rows: unknown[];
  readonly changes: number;
}

/** Far longer than any of our transactions: it bounds how long a defect can block the writer. */
const SESSION_MS = 15_000;

export async function openWriter(
  path: string,
  pragmas: readonly string[],
  sessionMs = SESSION_MS,
): Promise<Writer> {
  const lane = createLane();
  // Small heap: rows become garbage once they are written.
  const thread = new Worker(threadUrl(), { name: "sluice-writer", smol: true });
  /**
   * In the order of the replies. An expired session sends a message before its
   * last reply arrives.
   */
  const waiting: PromiseWithResolvers<Reply>[] = [];
  let death: SqliteFailure | undefined;

  thread.onmessage = ({ data }: MessageEvent<Reply>) => waiting.shift()?.resolve(data);
  thread.onerror = (event) => die(event.message);
  thread.addEventListener("close", () => die("The writer thread has ended."));

  try {
    await ask({ type: "open", path, pragmas });
  } catch (error) {
    thread.terminate();
    throw error;
  }

  return {
    async prepare(statements) {
      await alone(() => ask({ type: "prepare", statements }));
    },
    async run(batch) {
      await alone(() => ask(JSON.stringify(batch)));
    },
    enter: async () => openSession(await lane.enter()),
    async close() {
      try {
        if (death === undefined) await alone(() => ask({ type: "close" }));
      } finally {
        die("The writer is closed.");
        thread.terminate();
      }
    },
  };

  function openSession(leave: () => void): WriterSession {
    let isOver = false;
    const end = (): void => {
      isOver = true;
      clearTimeout(timer);
      leave();
    };
    const timer = setTimeout(() => {
      isOver = true;
      void ask({ type: "rollback" })
        .catch(() => {})
        .finally(end);
    }, sessionMs);

    return {
      async query(sql, parameters) {
        if (isOver)
          throw new SqliteFailure(
            "",
            "The transaction exceeded its time limit and was rolled back.",
          );
        return ask({ type: "query", sql, parameters });
      },
      async rollback() {
        if (!isOver) await ask({ type: "rollback" });
      },
      leave() {
        if (!isOver) end();
      },
    };
  }

  async function alone(action: () => Promise<unknown>): Promise<void> {
    const leave = await lane.enter();
    try {
      await action();
    } finally {
      leave();
    }
  }

  async function ask(request: Request): Promise<QueryReply> {
    if (death !== undefined) throw death;
    const answer = Promise.withResolvers<Reply>();
    // Throws if the message cannot be cloned; such a message never gets a reply.
    thread.postMessage(request);
    waiting.push(answer);
    const reply = await answer.promise;
    if ("failure" in reply) throw new SqliteFailure(reply.failure.code, reply.failure.message);
    return reply;
  }

  function die(message: string): void {
    death ??= new SqliteFailure(THREAD_DIED, message);
    for (const answer of waiting.splice(0)) answer.reject(death);
  }
}

/**
 * From source the thread's file is next to this file. In a bundle or a
 * single-file executable, this file is part of the main module. The thread is
 * then a second entry point, at its path below `src/`.
 */
function threadUrl(): string {
  const isSource = import.meta.url.endsWith("/sqlite/writer.ts");
  const path = isSource ? "./writer-thread.ts" : "./storage/sqlite/writer-thread.js";
  return new URL(path, import.meta.url).href;
}
