import { expect, test } from "bun:test";
import { nanoUsd } from "#core/money.ts";
import { holdFor, recordOf } from "#test/storage/contract-place.ts";
import { toAccountColumns } from "../tables/accounts.ts";
import { ArrayColumns } from "./array-columns.ts";
import { encodeBatch } from "./encode-batch.ts";
import type { Operation, PostgresWrite } from "./operation.ts";

const OWNERS = ["user:1", "key:1"] as const;
const columns = toAccountColumns(OWNERS);

function writeOf(operation: Operation, wasTried = false): PostgresWrite {
  const ignore = (): void => {};
  const isRefusable = false;
  return { operation, isRefusable, wasTried, outcome: false, done: ignore, refuse: ignore };
}

function hold(callId: string, amount: number, isAbandoned?: true): PostgresWrite {
  const request = holdFor(OWNERS, amount, callId);
  return writeOf({
    type: "hold",
    request,
    columns,
    periods: [],
    at: 0,
    ...(isAbandoned && { isAbandoned }),
  });
}

function settle(callId: string, amount: number | undefined, cost: number): PostgresWrite {
  return writeOf({
    type: "close",
    kind: "settle",
    callId,
    cost: nanoUsd(cost),
    at: 1,
    record: recordOf(callId, cost),
    ...(amount !== undefined && { hold: { columns, amount } }),
  });
}

test("a batch locks each account once, with the sum of its changes", () => {
  const batch = encodeBatch([hold("a", 10), hold("b", 5), settle("c", 20, 7)], "one");

  expect(batch?.parameters.slice(0, 4)).toEqual([
    '{"user:1","key:1"}',
    "{15,15}",
    "{-5,-5}",
    "{7,7}",
  ]);
});

test("accounts on which holds are only closed need no funds", () => {
  expect(encodeBatch([settle("c", 20, 7)], "one")?.parameters.slice(0, 4)).toEqual([
    '{"user:1","key:1"}',
    "{NULL,NULL}",
    "{-20,-20}",
    "{7,7}",
  ]);
});

test.each([
  ["a hold of another process", [settle("a", undefined, 1)]],
  ["two operations on one hold", [hold("a", 1), settle("a", 1, 1)]],
  ["an extension", [writeOf({ type: "extend", callId: "a", amount: nanoUsd(1) })]],
  ["a probe", [writeOf({ type: "probe" })]],
  ["a write with an unknown result", [{ ...settle("a", 1, 1), wasTried: true }]],
])("a batch with %s is decided write by write", (_, writes) => {
  expect(encodeBatch([hold("other", 1), ...writes], "one")).toBeUndefined();
});

test("an abandoned hold is not written, and every other write takes effect", () => {
  const writes = [
    hold("a", 1, true),
    hold("b", 1),
    writeOf({ type: "record", record: recordOf("c") }),
  ];

  const batch = encodeBatch(writes, "one");
  batch?.succeed();

  expect(batch?.parameters.join("\n")).not.toContain('"a"');
  expect(writes.map(({ outcome }) => outcome)).toEqual([false, true, true]);
});

test("each kind of batch has its own statement, prepared once", () => {
  const nameOf = (...writes: PostgresWrite[]) => encodeBatch(writes, "one")?.statement.name;

  expect(nameOf(hold("a", 1))).toBe("batch_1000");
  expect(nameOf(hold("a", 1), settle("b", 1, 1))).toBe("batch_1110");
  expect(nameOf(writeOf({ type: "checkpoints", noted: new Map([["a", aCheckpoint]]) }))).toBe(
    "batch_0001",
  );
});

const aCheckpoint = { delivered: nanoUsd(1), context: null };

test("a text is one element of its array, with any content", () => {
  const rows = new ArrayColumns(2);
  rows.add(['say "NULL", {a\\b}', null]);
  rows.add(["", 1]);
  const parameters: string[] = [];

  rows.addTo(parameters);

  expect(parameters).toEqual(['{"say \\"NULL\\", {a\\\\b}",""}', "{NULL,1}"]);
});

test("a batch without rows is an empty array", () => {
  const parameters: string[] = [];
  new ArrayColumns(1).addTo(parameters);
  expect(parameters).toEqual(["{}"]);
});
