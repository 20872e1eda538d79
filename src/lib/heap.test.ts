import { expect, test } from "bun:test";
import fc from "fast-check";
import { SEED } from "#test/seed.ts";
import { Heap } from "./heap.ts";

test("always removes the smallest item", () => {
  const steps = fc.array(fc.option(fc.integer({ min: 0, max: 50 }), { nil: undefined }));
  fc.assert(
    fc.property(steps, (some) => {
      const heap = new Heap<number>((each) => each);
      const model: number[] = [];
      for (const step of some) {
        if (step === undefined) {
          expect(heap.pop()).toBe(model.shift());
        } else {
          heap.push(step);
          model.push(step);
          model.sort((a, b) => a - b);
        }
        expect([heap.size, heap.peek()]).toEqual([model.length, model[0]]);
      }
    }),
    { seed: SEED },
  );
});
