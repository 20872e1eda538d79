import { expect, test } from "bun:test";
import { describeHomes, HOME_MS, ONE } from "#test/storage/contract-homes.ts";
import { InProcessHomes } from "./in-process-homes.ts";

let now = 0;
const open = (): InProcessHomes => new InProcessHomes({ monotonic: () => now });

describeHomes("in one process", async () => ({
  homes: open(),
  [Symbol.asyncDispose]: async () => {},
}));

test("a conversation without a turn for hours is dropped", () => {
  const homes = open();
  homes.keep("answered", ONE);
  now += HOME_MS - 1;
  expect(homes.find(["answered"])).toEqual(ONE);
  now += 1;
  expect(homes.find(["answered"])).toBeUndefined();
});

test("the oldest conversations are evicted", () => {
  const homes = open();
  for (let index = 0; index <= 50_000; index++) homes.keep(`conversation ${index}`, ONE);

  expect(homes.find(["conversation 0"])).toBeUndefined();
  expect(homes.find(["conversation 1"])).toEqual(ONE);
});
