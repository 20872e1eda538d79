import { expect, jest, test, beforeEach, afterEach } from "bun:test";
import { openLog } from "./log.ts";
import { ThrottledLog } from "./throttled-log.ts";

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

function open() {
  const lines: Record<string, unknown>[] = [];
  const log = openLog("info", {
    write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  });
  return { lines, log: new ThrottledLog(log) };
}

test("a kind has at most one line per second, with its count", () => {
  const { lines, log } = open();

  for (let each = 0; each < 10_000; each++) log.write("warn", "a", { at: each }, "failed");
  expect(lines).toMatchObject([{ level: 40, at: 0, msg: "failed" }]);
  expect(lines[0]).not.toHaveProperty("count");

  jest.advanceTimersByTime(1_000);
  expect(lines).toMatchObject([{ at: 0 }, { at: 9_999, count: 9_999 }]);

  log.write("warn", "a", { at: -1 }, "failed");
  expect(lines).toHaveLength(2);
  jest.advanceTimersByTime(1_000);
  expect(lines.at(-1)).toMatchObject({ at: -1, count: 1 });
});

test("another kind is written at once, and so is the same one after a quiet second", () => {
  const { lines, log } = open();

  log.write("warn", "a", {}, "first");
  log.write("error", "b", {}, "other");
  jest.advanceTimersByTime(1_000);
  log.write("warn", "a", {}, "again");

  expect(lines.map(({ msg }) => msg)).toEqual(["first", "other", "again"]);
});

test("pending counts are written at the end", () => {
  const { lines, log } = open();
  log.write("warn", "a", {}, "failed");
  log.write("warn", "a", {}, "failed");

  log[Symbol.dispose]();

  expect(lines.at(-1)).toMatchObject({ count: 1 });
  expect(jest.getTimerCount()).toBe(0);
});

test("an error's kind follows from its place and code", () => {
  const { lines, log } = open();
  const full = Object.assign(new Error("full"), { code: "SQLITE_FULL" });
  const busy = Object.assign(new Error("busy"), { code: "SQLITE_BUSY" });

  for (const cause of [full, busy, full, busy]) log.error("storage", cause, "storage failed");
  log.error("media", new Error("outer", { cause: full }), "media failed");

  expect(lines.map(({ err }) => (err as { code?: string }).code)).toEqual([
    "SQLITE_FULL",
    "SQLITE_BUSY",
    undefined,
  ]);
});

test("unlimited kinds do not fill the memory, and lose no count", () => {
  const { lines, log } = open();
  for (let each = 0; each < 5_000; each++) log.write("warn", `${each}`, {}, "failed");

  expect(lines).toHaveLength(5_000);
});
