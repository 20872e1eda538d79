import { expect, test } from "bun:test";
import { Kysely, PostgresDialect } from "kysely";
import { Pool } from "pg";
import { recordOf } from "#test/storage/contract-place.ts";
import type { Tables } from "../tables.ts";
import { commitWrites } from "./commit.ts";
import type { PostgresWrite } from "./operation.ts";
import { compileStatements } from "./statements.ts";

type Answer = { rows: never[] } | { rows: [{ applied: boolean }] };

/** Commits one write to a server that answers the prepared statement of the batch so. */
async function commitTo(answer: () => Promise<Answer>) {
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: new Pool() }) });
  const sent: string[] = [];
  const released: unknown[] = [];
  const client = {
    query(query: string | { readonly name: string }): Promise<{ rows: never[] }> {
      if (typeof query === "string") {
        sent.push(query.split(" ", 1)[0] ?? "");
        return Promise.resolve({ rows: [] });
      }
      sent.push(query.name);
      return answer() as Promise<{ rows: never[] }>;
    },
    release: (error?: unknown) => void released.push(error),
  };
  const write: PostgresWrite = {
    operation: { type: "record", record: recordOf("a") },
    isRefusable: true,
    wasTried: false,
    outcome: false,
    done() {},
    refuse() {},
  };
  const error = await commitWrites([write], {
    pool: { connect: () => Promise.resolve(client) },
    statements: compileStatements(db),
    instance: "one",
    now: () => 1,
    columnsOfHold: () => undefined,
    correct: () => Promise.resolve(),
  }).catch((cause: unknown) => cause);
  return { sent, released, write, error };
}

const failure = (code?: string): Error =>
  Object.assign(new Error("no"), code === undefined ? {} : { code, severity: "ERROR" });

test("a usual batch is one statement without a transaction around it", async () => {
  const { sent, write } = await commitTo(async () => ({ rows: [{ applied: true }] }));

  expect(sent).toEqual(["batch_0010"]);
  expect(write.outcome).toBe(true);
});

test("a batch that does not fit its accounts is decided write by write", async () => {
  const { sent, write } = await commitTo(async () => ({ rows: [{ applied: false }] }));

  expect(sent).toEqual(["batch_0010", "begin", "insert", "commit"]);
  expect(write).toMatchObject({ outcome: true, wasTried: false });
});

test.each([
  ["a hold that is not as expected", "22012"],
  ["a connection pooler that has lost the prepared statement", "26000"],
  ["a connection pooler that has prepared the statement before", "42P05"],
])("after %s, the same connection decides write by write", async (_, code) => {
  const { sent, released } = await commitTo(() => Promise.reject(failure(code)));

  expect(sent).toEqual(["batch_0010", "begin", "insert", "commit"]);
  expect(released).toEqual([false, undefined]);
});

test("a batch that lost a deadlock is retried", async () => {
  let tries = 0;
  const { sent, write } = await commitTo(async () => {
    if (tries++ === 0) throw failure("40P01");
    return { rows: [{ applied: true }] };
  });

  expect(sent).toEqual(["batch_0010", "batch_0010"]);
  expect(write).toMatchObject({ outcome: true, wasTried: false });
});

test("a batch whose connection broke has an unknown result", async () => {
  const broken = failure();
  const { sent, released, write, error } = await commitTo(() => Promise.reject(broken));

  expect(error).toBe(broken);
  expect(sent).toEqual(["batch_0010"]);
  expect(released).toEqual([true]);
  expect(write.wasTried).toBe(true);
});
