import { expect, test } from "bun:test";
import { BufferedBytes } from "./buffered-bytes.ts";

function reader(name: string, shed: string[]): { shed(): void } {
  return { shed: () => void shed.push(name) };
}

test("pending bytes are counted for each reader, and released", () => {
  const buffered = new BufferedBytes({ bufferedBytes: 1_000 });
  const [a, b] = [reader("a", []), reader("b", [])];
  buffered.hold(a, 100);
  buffered.hold(b, 200);
  buffered.hold(a, 150);

  expect(buffered.total).toBe(350);
  buffered.release(a);
  buffered.release(a);
  expect(buffered.total).toBe(200);
});

test("above the limit, the readers that are behind for longest are ended, as many as necessary", () => {
  const shed: string[] = [];
  const buffered = new BufferedBytes({ bufferedBytes: 1_000 });
  const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => reader(name, shed));
  if (a === undefined || b === undefined || c === undefined || d === undefined) return;
  buffered.hold(a, 300);
  buffered.hold(b, 400);
  buffered.hold(c, 300);
  // It caught up in between, and fell behind again.
  buffered.release(a);
  buffered.hold(a, 300);
  expect(shed).toEqual([]);
  buffered.hold(d, 500);

  expect(shed).toEqual(["b", "c"]);
  expect(buffered.total).toBe(800);
});

test("a reader that exceeds the limit alone is ended", () => {
  const shed: string[] = [];
  const buffered = new BufferedBytes({ bufferedBytes: 1_000 });
  buffered.hold(reader("a", shed), 1_001);

  expect([shed, buffered.total]).toEqual([["a"], 0]);
});
