import { describe, expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import { LossReport } from "#core/lossy.ts";
import { openai } from "#providers/openai.ts";
import { gemini } from "#providers/gemini.ts";
import type { Provider } from "#providers/provider.ts";
import { aChannel } from "#test/a-channel.ts";
import { editsWithout, LearnedRefusals } from "./learned-refusals.ts";

const DAY_MS = 86_400_000;

function refusing(refusedMember: string): GatewayError {
  return new GatewayError("upstream_rejected", "No.", { vendor: { status: 400, refusedMember } });
}

function open(provider: Provider = openai) {
  let nowMs = 0;
  const learned = new LearnedRefusals({ now: () => nowMs });
  const [endpoint] = provider.text;
  if (endpoint === undefined) throw new Error("The provider has no text.");
  const on = (upstreamModel: string) => ({ channel: aChannel(), upstreamModel, endpoint });
  return {
    learned,
    on,
    learn: (member: string, body: object, model = "m") =>
      learned.learn(on(model), refusing(member), JSON.stringify(body)),
    at(ms: number) {
      nowMs = ms;
    },
  };
}

test("a member that a vendor refused is omitted for that model for a day", () => {
  const { learned, on, learn, at } = open();

  expect(learn("verbosity", { model: "m", verbosity: "low" })).toBe(true);

  expect(learned.on(on("m"))).toEqual(["verbosity"]);
  expect(learned.on(on("other"))).toEqual([]);
  at(DAY_MS - 1);
  expect(learned.on(on("m"))).toEqual(["verbosity"]);
  at(DAY_MS);
  expect(learned.on(on("m"))).toEqual([]);
  expect(learned.all).toEqual([]);
});

test("the same refusal does not cause a second retry", () => {
  const { learn } = open();
  learn("verbosity", { verbosity: "low" });

  expect(learn("verbosity", { verbosity: "low" })).toBe(false);
});

describe("nothing is learned from", () => {
  test.each<[string, string, object]>([
    ["an essential field of the request", "messages", { messages: [] }],
    ["a part of the conversation", "tools.strict", { tools: { strict: true } }],
    ["a field that was not sent", "verbosity", { model: "m" }],
    ["a part of a field without parts", "verbosity.level", { verbosity: null }],
    ["the longest answer", "max_completion_tokens", { max_completion_tokens: 9 }],
  ])("%s", (_what, member, body) => {
    const { learned, learn } = open();

    expect(learn(member, body)).toBe(false);
    expect(learned.all).toEqual([]);
  });

  test("a failure that names no field", () => {
    const { learned, on } = open();

    expect(learned.learn(on("m"), new GatewayError("upstream_rejected", "No."), "{}")).toBe(false);
  });
});

test("settings are distinguished from parts of the request beside them, in either spelling", () => {
  const { learned, on, learn } = open(gemini);
  const body = { contents: [], generationConfig: { topK: 3, responseSchema: {} } };

  expect(learn("generation_config.top_k", body)).toBe(true);
  expect(learn("generation_config.response_schema", body)).toBe(false);
  expect(learn("generation_config", body)).toBe(false);
  expect(learned.on(on("m"))).toEqual(["generationConfig.topK"]);
});

test("at most a thousand models are kept, the newest ones, and at most sixteen members of each", () => {
  const { learned, learn } = open();
  for (let i = 0; i <= 1_000; i++) learn("seed", { seed: 1 }, `m${i}`);
  expect(learned.all).toHaveLength(1_000);
  expect(learned.all[0]?.model).toBe("m1");

  const many = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`x${i}`, 1]));
  for (const name in many) learn(name, many, "m1");
  expect(learned.all.filter(({ model }) => model === "m1")).toHaveLength(16);
});

test("a model whose refusal was learned again is not the oldest one", () => {
  const { learned, learn, at } = open();
  learn("seed", { seed: 1 }, "first");
  at(1);
  learn("seed", { seed: 1 }, "second");
  at(DAY_MS);
  learn("seed", { seed: 1 }, "first");

  for (let i = 0; i < 999; i++) learn("seed", { seed: 1 }, `m${i}`);

  expect(learned.all.map(({ model }) => model).slice(0, 2)).toEqual(["first", "m0"]);
});

test("an omitted member is reported, and its neighbours stay", () => {
  const report = new LossReport();
  const body = {
    seed: 1,
    text: { verbosity: { level: 1 } },
    generationConfig: { topK: 3, thinkingConfig: { a: 1, b: 2 } },
  };
  const sent = [
    "generationConfig.topK",
    "generationConfig.thinkingConfig.a",
    "seed",
    "text.verbosity",
  ];
  const members = [...sent, "absent", "generationConfig.absent", "seed.absent", "absent.absent"];

  expect(editsWithout(body, members, report)).toEqual({
    seed: undefined,
    text: {},
    generationConfig: { thinkingConfig: { b: 2 } },
  });
  expect(report.fields).toEqual(sent);
});
