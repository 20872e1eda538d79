import { Database } from "bun:sqlite";
import { join } from "node:path";
import { waitFor } from "./wait.ts";

export type Row = Readonly<Record<string, string | number | null>>;

/**
 * An auditor's view of a gateway's database, through a connection of its own
 * and with queries of its own: it believes nothing that the gateway says.
 */
export interface Books extends Disposable {
  accounts(): Row[];
  entries(): Row[];
  calls(): Row[];
  openHolds(): Row[];
  /** Rows of a table. */
  count(table: string): number;
  /** Of all users together, in nano-dollars. */
  spent(): number;
  /** How often each call was closed. */
  closes(): ReadonlyMap<string, number>;
  /** Whatever does not add up. */
  verify(): string[];
  /** Waits until no hold is open, and says what does not add up. */
  whenSettled(): Promise<string[]>;
  /** The whole database as text, to look for what must not be in it. */
  dump(): string;
  /** The same without sums of usage, which are written in the background some time after a call. */
  dumpOfCalls(): string;
  close(): void;
}

const TABLES = [
  "users",
  "sessions",
  "keys",
  "accounts",
  "holds",
  "ledger",
  "calls",
  "meta",
  "instances",
  "audit",
  "usage_hours",
  "usage_labels",
  "usage_days",
  "usage_label_days",
  "usage_label_owners",
  "usage_totals",
  "key_usage",
];

const SUMS = /^(usage_|key_usage$)/;

export function openBooks(dataDir: string): Books {
  const db = new Database(join(dataDir, "sluice.db"), { readonly: true });
  const all = (query: string): Row[] => db.query<Row, []>(query).all();
  const dumpOf = (tables: readonly string[]): string =>
    JSON.stringify(tables.map((table) => all(`SELECT * FROM ${table}`)));
  const books: Books = {
    accounts: () => all("SELECT * FROM accounts"),
    entries: () => all("SELECT * FROM ledger ORDER BY at, op_id"),
    calls: () => all("SELECT * FROM calls ORDER BY id"),
    openHolds: () => all("SELECT * FROM holds"),
    count: (table) => Number(all(`SELECT count(*) AS n FROM ${table}`)[0]?.["n"]),
    spent: () =>
      Number(all("SELECT coalesce(sum(spent_delta), 0) AS spent FROM ledger")[0]?.["spent"]),
    closes: () =>
      new Map(
        all(
          `SELECT call_id, count(*) AS n FROM ledger
           WHERE kind IN ('settle', 'void') GROUP BY call_id`,
        ).map((each) => [String(each["call_id"]), Number(each["n"])]),
      ),
    verify: () => [...unbalancedAccounts(all), ...badCloses(all), ...badRecords(all)],
    async whenSettled() {
      await waitFor(() => books.openHolds().length === 0);
      return books.verify();
    },
    dump: () => dumpOf(TABLES),
    dumpOfCalls: () => dumpOf(TABLES.filter((table) => !SUMS.test(table))),
    close: () => db.close(),
    [Symbol.dispose]: () => db.close(),
  };
  return books;
}

type All = (query: string) => Row[];

function unbalancedAccounts(all: All): string[] {
  const sums = new Map<string, { held: number; spent: number }>();
  for (const entry of all("SELECT * FROM ledger")) {
    const more = String(entry["more_accounts"] ?? "").split(" ");
    for (const id of [entry["user_account"], entry["key_account"], ...more]) {
      if (typeof id !== "string") continue;
      const sum = sums.get(id) ?? { held: 0, spent: 0 };
      sums.set(id, {
        held: sum.held + Number(entry["held_delta"]),
        spent: sum.spent + Number(entry["spent_delta"]),
      });
    }
  }
  return all("SELECT * FROM accounts")
    .filter(({ id, held, spent }) => {
      const sum = sums.get(String(id)) ?? { held: 0, spent: 0 };
      return sum.held !== held || sum.spent !== spent;
    })
    .map(({ id }) => `account ${id} is not the sum of its entries`);
}

function badCloses(all: All): string[] {
  const closes = all(
    `SELECT call_id, sum(kind = 'hold') AS holds, sum(kind IN ('settle', 'void')) AS closes, sum(held_delta) AS held
     FROM ledger WHERE call_id IS NOT NULL GROUP BY call_id`,
  );
  const open = new Set(all("SELECT call_id FROM holds").map((each) => each["call_id"]));
  return closes
    .filter(({ call_id: id, holds, closes: count, held }) =>
      open.has(id ?? null) ? count !== 0 : Number(holds) > 1 || count !== 1 || held !== 0,
    )
    .map(({ call_id: id }) => `call ${id} is not held at most once and closed once`);
}

function badRecords(all: All): string[] {
  return all(
    `SELECT calls.id FROM calls JOIN ledger ON ledger.call_id = calls.id AND ledger.kind = 'settle'
     WHERE calls.cost <> ledger.spent_delta`,
  ).map(({ id }) => `call ${id} says another cost than the ledger`);
}
