import { expect, test } from "bun:test";
import { nanoUsd } from "#core/money.ts";
import { createAccounts } from "./accounts.ts";

const NOTHING = nanoUsd(0);

test("an account is loaded once and stays while it is in use", () => {
  const { accounts, loads } = counted(3);
  const busy = accounts.find("key:1");
  if (busy !== undefined) busy.held = nanoUsd(5);
  const queued = accounts.find("key:2");
  if (queued !== undefined) queued.queued = 1;

  for (let id = 10; id < 60; id++) accounts.find(`key:${id}`);

  expect(accounts.find("key:1")).toBe(busy);
  expect(accounts.find("key:2")).toBe(queued);
  expect(loads.filter((id) => id === "key:1" || id === "key:2")).toHaveLength(2);
});

test("idle accounts are evicted", () => {
  const { accounts, loads } = counted(3);

  for (let id = 1; id <= 50; id++) accounts.find(`key:${id}`);
  accounts.find("key:1");

  expect(loads.filter((id) => id === "key:1")).toHaveLength(2);
});

test("a recently requested account is not evicted for the next one", () => {
  const { accounts, loads } = counted(20);
  for (let id = 1; id <= 20; id++) accounts.find(`key:${id}`);

  const first = accounts.find("key:1");
  accounts.find("key:21");

  expect(accounts.find("key:1")).toBe(first);
  expect(loads.filter((id) => id === "key:1")).toHaveLength(1);
});

test("an account of a call is not evicted by another account of the same call", () => {
  const { accounts } = counted(20);
  for (let id = 1; id <= 19; id++) accounts.find(`key:${id}`);

  const first = accounts.find("key:1");
  for (const id of [20, 21, 22]) accounts.find(`key:${id}`);

  expect(accounts.find("key:1")).toBe(first);
});

test("a lookup does not create an account", () => {
  const accounts = createAccounts(() => undefined, 3);

  expect(accounts.find("key:1")).toBeUndefined();
  expect(accounts.open("key:1")).toMatchObject({ granted: null, held: 0, spent: 0 });
  expect(accounts.find("key:1")).toBe(accounts.open("key:1"));
});

function counted(maxLoaded: number) {
  const loads: string[] = [];
  const accounts = createAccounts((id) => {
    loads.push(id);
    return { id, granted: null, held: NOTHING, spent: NOTHING };
  }, maxLoaded);
  return { accounts, loads };
}
