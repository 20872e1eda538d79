import { expect, test } from "bun:test";
import { channels } from "./channels.ts";
import { readVerb, UsageError, type Prompt } from "./command.ts";

const EMPTY = {
  readLine: async () => "",
  readFile: async () => "",
  readLink: async () => "",
};

function verbOf(typed: string): ReturnType<typeof readVerb> {
  return readVerb(channels, typed.split(" "), EMPTY);
}

async function prompt(typed: string): Promise<Prompt> {
  const { verb, words } = verbOf(typed);
  return await verb.ask(words);
}

test("a list can be limited to channels with a label", async () => {
  expect(await prompt("list --tag eu,a=b")).toEqual({
    method: "GET",
    path: "/api/channel?tag=eu%2Ca%3Db",
  });
});

test("a test is of one channel or of all, and each has its own options", async () => {
  expect(await prompt("test main --model m")).toEqual({
    method: "POST",
    path: "/api/channel/main/test",
    body: { model: "m" },
  });
  expect(await prompt("test --all --tag eu")).toEqual({
    method: "POST",
    path: "/api/channel/test",
    body: { tag: "eu" },
  });
  for (const typed of ["test main --all", "test main --tag eu", "test --all --model m", "test"]) {
    expect(() => prompt(typed)).toThrow(UsageError);
  }
});

test("a copy can have a name", async () => {
  expect(await prompt("copy main --name second")).toEqual({
    method: "POST",
    path: "/api/channel/main/copy",
    body: { name: "second" },
  });
});

test("a report of all channels names each one, and a failure sets the exit status", () => {
  const { verb } = verbOf("test --all");
  const probe = { credential: "...abcd", ok: false, latency_ms: 12, fault: "upstream_auth" };
  const report = {
    tested: 1,
    failed: 1,
    items: [
      { name: "main", provider: "openai", ok: false, trouble: null, probes: [probe] },
      { name: "own", provider: "jimeng", ok: false, trouble: "no_model_list", probes: [] },
    ],
  };

  const lines = verb.show(report);

  expect(lines.join("\n")).toMatch(/^main \(openai\)\n {2}\.\.\.abcd +upstream_auth +12 ms/);
  expect(lines.slice(-3)).toEqual([
    "own (jimeng)",
    "  not tested: no_model_list",
    "tested: 1, failed: 1",
  ]);
  expect(verb.isFailure?.(report)).toBe(true);
  expect(verb.isFailure?.({ ...report, failed: 0 })).toBe(false);
});

test("a change of several channels is shown, and made with --apply", async () => {
  expect(
    await prompt("change --tag eu --priority=-5 --weight 0.5 --proxy none --add-tags a,b"),
  ).toEqual({
    method: "POST",
    path: "/api/channel/bulk",
    body: { tag: "eu", change: { priority: -5, weight: 0.5, proxy: null }, add_tags: ["a", "b"] },
  });
  expect(await prompt("change 1 2 --status disabled --apply")).toEqual({
    method: "POST",
    path: "/api/channel/bulk",
    body: { ids: [1, 2], change: { status: 2 }, apply: true },
  });
  for (const typed of [
    "change",
    "change 1 --tag eu",
    "change 1 --status on",
    "change 1 --weight x",
  ]) {
    expect(() => prompt(typed)).toThrow(UsageError);
  }
  const { verb } = verbOf("change 1");
  const changes = { priority: { before: 0, after: 7 } };
  const items = [
    { name: "main", changes },
    { name: "same", changes: {} },
  ];
  const skipped = [{ name: "filed", reason: "The channel is defined in the file x." }];
  expect(verb.show({ applied: false, items, skipped })).toEqual([
    "main",
    "  priority: 0 -> 7",
    "same: no change",
    "filed: The channel is defined in the file x.",
    "2 channels not changed; repeat with --apply",
  ]);
});

test("a new channel is tried with a credential from standard input", async () => {
  const { verb, words } = readVerb(channels, ["try", "openai", "--model", "m"], {
    ...EMPTY,
    readLine: async () => "a-secret-key",
  });

  expect(await verb.ask(words)).toEqual({
    method: "POST",
    path: "/api/channel/draft-test",
    body: { provider: "openai", test_model: "m", api_key: "a-secret-key" },
  });
  const price = { input: 0.15, output: 0.6, date: "2026-11-01" };
  const models = [
    { id: "m", price },
    { id: "other", price: null },
  ];
  const shown = verb.show({ ok: true, trouble: null, probes: [], models, models_total: 2 });
  expect(shown.join("\n")).toContain("input $0.15");
  expect(shown.join("\n")).toContain("no price");
  expect(verb.isFailure?.({ ok: false })).toBe(true);
});

test("a channel is enabled by name, and its balance is a failure if it is used up", async () => {
  expect(await prompt("enable main")).toEqual({ method: "POST", path: "/api/channel/main/enable" });
  expect(await prompt("disable 3")).toEqual({
    method: "PUT",
    path: "/api/channel/3",
    body: { status: 2 },
  });
  expect(await prompt("balance main")).toEqual({
    method: "GET",
    path: "/api/channel/main/balance",
  });
  expect(verbOf("balance main").verb.isFailure?.({ usable: false })).toBe(true);
});

test("a report can be limited to one result", async () => {
  expect(await prompt("test --all --only passed")).toMatchObject({ body: { only: "passed" } });
  expect(() => prompt("test main --only passed")).toThrow(UsageError);
});
