import { CompiledQuery, type Kysely, type KyselyPlugin } from "kysely";
import type { Tables } from "#storage/tables.ts";

/** How the database would run a query, one line for each step. */
export async function planOf(
  db: Kysely<Tables>,
  query: CompiledQuery,
  engine: "sqlite" | "postgres",
): Promise<string> {
  const explain = engine === "sqlite" ? "explain query plan" : "explain";
  const { rows } = await db.executeQuery<Record<string, unknown>>(
    CompiledQuery.raw(`${explain} ${query.sql}`, [...query.parameters]),
  );
  return rows.map((row) => Object.values(row).map(String).join(" ")).join("\n");
}

/** Keeps each query as the database gets it. */
export class Watch implements KyselyPlugin {
  readonly #db: Kysely<Tables>;
  readonly #queries: CompiledQuery[];

  constructor(db: Kysely<Tables>, queries: CompiledQuery[]) {
    this.#db = db;
    this.#queries = queries;
  }

  transformQuery({ node, queryId }: Parameters<KyselyPlugin["transformQuery"]>[0]) {
    this.#queries.push(this.#db.getExecutor().compileQuery(node, queryId));
    return node;
  }

  async transformResult({ result }: Parameters<KyselyPlugin["transformResult"]>[0]) {
    return result;
  }
}
