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
