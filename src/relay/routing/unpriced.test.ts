import { expect, test } from "bun:test";
import { UnpricedReport, type UnpricedNotice } from "./unpriced.ts";

const HOUR_MS = 3_600_000;

function open(): {
  readonly told: UnpricedNotice[];
  note(model: string, atMs: number, more?: Partial<UnpricedNotice>): void;
} {
  const told: UnpricedNotice[] = [];
  let nowMs = 0;
  const report = new UnpricedReport({ monotonic: () => nowMs }, (notice) => told.push(notice));
  return {
    told,
    note(model, atMs, more) {
      nowMs = atMs;
      report.note({ model, channel: "one", provider: "openai", isRefused: false, ...more });
    },
  };
}

test("a model is reported again after an hour, and not before", () => {
  const { told, note } = open();

  for (const atMs of [0, 1, HOUR_MS - 1]) note("m", atMs);
  expect(told).toHaveLength(1);

  note("m", HOUR_MS);
  expect(told).toHaveLength(2);

  note("m", 2 * HOUR_MS - 1);
  expect(told).toHaveLength(2);
});

test("each model has its own hour, on any channel and with any result of the call", () => {
  const { told, note } = open();

  note("a", 0);
  note("b", 1);
  note("a", 2, { channel: "two", isRefused: true });
  note("a", HOUR_MS);
  note("b", HOUR_MS);

  expect(told.map(({ model }) => model)).toEqual(["a", "b", "a"]);
});

test("above a thousand models, the first reported are dropped", () => {
  const { told, note } = open();
  for (let count = 0; count <= 1_000; count++) note(`m${count}`, count);
  expect(told).toHaveLength(1_001);

  note("m1000", 1_001);
  note("m1", 1_001);
  expect(told).toHaveLength(1_001);

  note("m0", 1_001);
  expect(told).toHaveLength(1_002);
});
