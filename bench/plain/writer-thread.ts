import { Database } from "bun:sqlite";

/** An entry of the ledger, and the values of the journal's row if the call has ended. */
export type Row = readonly [entry: Entry, journal: readonly (string | number | null)[] | null];

export type Entry = readonly [
  call: string,
  kind: "hold" | "settle",
  amount: number,
  account: number,
  at: number,
  model: string,
  input: number,
  output: number,
];

declare const self: Worker;

const HOUR_MS = 3_600_000;
const JOURNAL_COLUMNS = 26;

self.onmessage = ({ data: path }: MessageEvent<string>) => {
  const write = openDatabase(path);
  self.onmessage = ({ data }: MessageEvent<string>) => {
    write(JSON.parse(data));
    self.postMessage(0);
  };
};

/** Everything of a batch is one transaction, on disk before the function returns. */
function openDatabase(path: string): (rows: readonly Row[]) => void {
  const database = new Database(path);
  database.run("pragma journal_mode = wal");
  database.run("pragma synchronous = full");
  database.run(`create table entries (
    id integer primary key, call text, kind text, amount integer, account integer, at integer)`);
  database.run("create table balances (account integer primary key, settled integer)");
  database.run(`create table sums (
    hour integer, account integer, model text, calls integer, input integer, output integer,
    cost integer, primary key (hour, account, model)) without rowid`);
  const names = Array.from({ length: JOURNAL_COLUMNS - 1 }, (_, index) => `value${index + 1}`);
  database.run(`create table calls (id text primary key, ${names.join(", ")}) without rowid`);
  const insertEntry = database.prepare(
    "insert into entries (call, kind, amount, account, at) values (?, ?, ?, ?, ?)",
  );
  const addToBalance = database.prepare(
    `insert into balances values (?, ?)
     on conflict do update set settled = settled + excluded.settled`,
  );
  const addToSum = database.prepare(
    `insert into sums values (?, ?, ?, ?, ?, ?, ?) on conflict do update set
     calls = calls + excluded.calls, input = input + excluded.input,
     output = output + excluded.output, cost = cost + excluded.cost`,
  );
  const insertCall = database.prepare(
    `insert into calls values (?${names.map(() => ", ?").join("")})`,
  );
  return (rows) => {
    const sums = new Map<string, Sum>();
    database.run("begin immediate");
    for (const [entry, journal] of rows) {
      const [call, kind, amount, account, at] = entry;
      insertEntry.run(call, kind, amount, account, at);
      if (kind === "settle") add(sums, entry);
      if (journal !== null) insertCall.run(...journal);
    }
    for (const { hour, account, model, calls, input, output, cost } of sums.values()) {
      addToBalance.run(account, cost);
      addToSum.run(hour, account, model, calls, input, output, cost);
    }
    database.run("commit");
  };
}

interface Sum {
  readonly hour: number;
  readonly account: number;
  readonly model: string;
  calls: number;
  input: number;
  output: number;
  cost: number;
}

function add(sums: Map<string, Sum>, [, , cost, account, at, model, input, output]: Entry): void {
  const hour = Math.floor(at / HOUR_MS);
  const key = `${hour} ${account} ${model}`;
  let sum = sums.get(key);
  if (sum === undefined) {
    sum = { hour, account, model, calls: 0, input: 0, output: 0, cost: 0 };
    sums.set(key, sum);
  }
  sum.calls++;
  sum.input += input;
  sum.output += output;
  sum.cost += cost;
}
