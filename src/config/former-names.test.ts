import { expect, test } from "bun:test";
import { type Config, loadConfig } from "#config.ts";
import { describeFormerName } from "./former-names.ts";
import { LiveSettings } from "./live-settings.ts";

function load(yaml: string, env: Readonly<Record<string, string>> = {}): Config {
  return loadConfig({
    env: { SLUICE_CONFIG: "a.yaml", ...env },
    readFile: () => new TextEncoder().encode(yaml),
    knownProviders: [],
  });
}

test("a setting works under its former name, with a warning that has the current name", () => {
  const inFile = load("limits:\n  task_looks: 5\n");
  expect(inFile.settings.limits.taskPolls).toBe(5);
  expect(inFile.formerNames.map(describeFormerName)).toEqual([
    "limits.task_looks is now called limits.task_polls. The former name works until the next minor version.",
  ]);

  const inVariable = load("port: 1", { SLUICE_LIMIT_TASK_LOOKS: "6" });
  expect(inVariable.settings.limits.taskPolls).toBe(6);
  expect(inVariable.formerNames).toEqual([
    { written: "SLUICE_LIMIT_TASK_LOOKS", now: "SLUICE_LIMIT_TASK_POLLS" },
  ]);
});

test("a current name takes precedence over a former one", () => {
  const both = load("limits:\n  task_polls: 7\n  task_looks: 5\n");
  expect(both.settings.limits.taskPolls).toBe(7);
  expect(both.formerNames).toHaveLength(1);
  expect(load("port: 1").formerNames).toEqual([]);
});

test("a value stored under a former name applies, and is removed when the setting is changed or reset", async () => {
  const stored = new Map([["limits.task_looks", "9"]]);
  const live = new LiveSettings({
    config: load("port: 1"),
    store: {
      list: async () => new Map(stored),
      put: async (name, text) => void stored.set(name, text),
      delete: async (name) => stored.delete(name),
    },
    version: { read: async () => String(stored.size) },
    onError: () => {},
    onLoad: () => {},
  });
  await live.load();
  expect(live.now.limits.taskPolls).toBe(9);

  await live.set("limits.task_looks", "10");
  expect(live.now.limits.taskPolls).toBe(10);
  expect([...stored]).toEqual([["limits.task_polls", "10"]]);

  stored.set("limits.task_looks", "9");
  await live.reset("limits.task_polls");
  expect(live.now.limits.taskPolls).toBe(32);
  expect(stored.size).toBe(0);
});
