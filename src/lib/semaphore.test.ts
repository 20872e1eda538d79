import { expect, test } from "bun:test";
import { Semaphore } from "./semaphore.ts";

/** Those who hold a place, in the order in which they got it. */
function visitors(semaphore: Semaphore) {
  const holders: string[] = [];
  const places = new Map<string, Disposable | undefined>();
  return {
    holders,
    async enter(name: string): Promise<void> {
      const place = await semaphore.enter();
      places.set(name, place);
      holders.push(place === undefined ? `${name} is refused` : name);
    },
    leave: (name: string) => places.get(name)?.[Symbol.dispose](),
  };
}
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

test("as many as there are places enter at once, some wait, and more are refused", async () => {
  const { holders, enter } = visitors(new Semaphore(2, 1));
  for (const name of ["a", "b", "c", "d"]) void enter(name);
  await turns();

  expect(holders).toEqual(["a", "b", "d is refused"]);
});

test("those who wait get the places of those who leave, in their order", async () => {
  const { holders, enter, leave } = visitors(new Semaphore(1, 2));
  for (const name of ["a", "b", "c"]) void enter(name);
  await turns();
  leave("a");
  await turns();
  expect(holders).toEqual(["a", "b"]);

  leave("b");
  await turns();
  expect(holders).toEqual(["a", "b", "c"]);
});

test("a place without a waiter is free again, once", async () => {
  const { holders, enter, leave } = visitors(new Semaphore(1, 0));
  await enter("a");
  leave("a");
  await enter("b");
  await enter("c");

  expect(holders).toEqual(["a", "b", "c is refused"]);
});

test("a semaphore without places refuses everyone", async () => {
  const { holders, enter } = visitors(new Semaphore(0, 0));
  await enter("a");

  expect(holders).toEqual(["a is refused"]);
});
