import { describe, expect, test } from "bun:test";
import { liveTaskSettings } from "./task-settings.ts";
import { hasEnded, momentsOf, stateOf, taskTable, type Phase } from "./tasks.ts";

function open(prompt: string, more: { expiresAfterMs?: number; failures?: string[] } = {}) {
  const clock = { now: 1_000 };
  const table = taskTable<string>({ now: () => clock.now, tasks: liveTaskSettings({}) });
  const order = { id: "t", owner: "k", requested: prompt, origin: "http://127.0.0.1", prompt };
  const task = table.open({ ...order, ...more });
  const walk = (moments: readonly number[]) =>
    moments.map((at) => stateOf(table.find("t", "k") ?? task, at).phase);
  return { clock, table, task, walk, order };
}

describe("a task", () => {
  test("is queued, runs and ends, by the clock only", () => {
    const { task, walk } = open("a cat");

    expect(walk([1_000, 1_299, 1_300, 2_299, 2_300, 9e9])).toEqual([
      "queued",
      "queued",
      "running",
      "running",
      "succeeded",
      "succeeded",
    ]);
    expect(stateOf(task, 1_800)).toEqual({ phase: "running", since: 1_300, progress: 50 });
    expect(momentsOf(task)).toEqual([1_000, 1_300, 2_300]);
  });

  test.each<[string, Phase[]]>([
    ["[fail] a cat", ["running", "failed"]],
    ["a cat [moderate]", ["running", "failed"]],
    ["[CreationPolicyViolation]", ["running", "failed"]],
    ["[expire]", ["running", "expired"]],
    ["[stuck]", ["running", "running"]],
    ["fail", ["running", "succeeded"]],
  ])("%s", (prompt, phases) => {
    const { walk } = open(prompt, { failures: ["CreationPolicyViolation"] });

    expect(walk([2_000, 1e12])).toEqual(phases);
  });

  test("expires at its time limit, in any state", () => {
    const { walk, task } = open("[stuck]", { expiresAfterMs: 60_000 });

    expect(walk([60_999, 61_000])).toEqual(["running", "expired"]);
    expect(momentsOf(task)).toEqual([1_000, 1_300, 61_000]);
  });

  test("has no further states after its cancellation", () => {
    const { clock, table, task, walk } = open("a cat");
    clock.now = 1_100;
    table.cancel(task);

    expect(walk([1_099, 1_100, 5_000])).toEqual(["queued", "cancelled", "cancelled"]);
    expect(hasEnded(table.find("t", "k") ?? task, 1_100)).toBe(true);
  });
});

describe("the table", () => {
  test("shows a task only to its owner", () => {
    const { table } = open("a cat");

    expect([table.find("t", "k")?.id, table.find("t", "other")]).toEqual(["t", undefined]);
    expect([table.list("k").length, table.list("other").length]).toEqual([1, 0]);
  });

  test("evicts the oldest when it is full", () => {
    const { table, order } = open("a cat");
    for (let count = 0; count < 2_000; count++) table.open({ ...order, id: `n${count}` });

    expect(table.find("t", "k")).toBeUndefined();
    expect(table.list("k")).toHaveLength(2_000);
    expect(table.list("k")[0]?.id).toBe("n1999");
  });

  test("counts the running tasks", () => {
    const { clock, table, order } = open("a cat");
    table.open({ ...order, id: "second", prompt: "[stuck]" });

    expect(table.countOpen("k")).toBe(2);
    clock.now = 10_000;
    expect(table.countOpen("k")).toBe(1);
  });
});
