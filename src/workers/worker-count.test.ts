import { expect, test } from "bun:test";
import { countWorkers } from "./worker-count.ts";

const LINUX = { hasPostgres: true, cores: 4, platform: "linux" };

test("the number of workers is the one that was set, or that of the cores", () => {
  expect(countWorkers(3, LINUX)).toEqual({ count: 3 });
  expect(countWorkers("auto", LINUX)).toEqual({ count: 4 });
  expect(countWorkers("auto", { ...LINUX, cores: 1 })).toEqual({ count: 1 });
});

test.each([
  ["on SQLite", { ...LINUX, hasPostgres: false }, "SQLite"],
  ["on another system", { ...LINUX, platform: "darwin" }, "Linux"],
])("%s there is one worker, with a reason in one line", (_where, machine, word) => {
  const { count, reason = "" } = countWorkers("auto", machine);

  expect(count).toBe(1);
  expect(reason).toContain(word);
  expect(reason).not.toContain("\n");
  expect(countWorkers(1, machine)).toEqual({ count: 1 });
});
