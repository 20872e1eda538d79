import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "./json.ts";
import { startSandbox, type Sandbox } from "./server.ts";
import { asObject, at } from "./testing/chat.ts";
import {
  answerTo,
  ask,
  chunksOf,
  partsOf,
  post,
  refusalOf,
  textOf,
  user,
  WEATHER,
} from "./testing/gemini.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});

afterAll(() => sandbox.stop());

async function refusal(model: string, body: JsonObject): Promise<string> {
  const response = await post(sandbox, `models/${model}:generateContent`, body);
  return response.status === 200 ? "accepted" : refusalOf(response);
}

function configured(generationConfig: JsonObject): JsonObject {
  return ask("hi", { generationConfig });
}

const thinking = (config: JsonObject): JsonObject => configured({ thinkingConfig: config });
const NO_LEVEL = "400 INVALID_ARGUMENT Thinking level";
const NO_BUDGET = "400 INVALID_ARGUMENT Thinking budget is not supported for this model.";
const FOURTH = ["gemini-4-argon", "gemini-4-carbon", "gemini-4-neon"];

describe.each(FOURTH)("%s", (model) => {
  test.each<[string, JsonObject, string]>([
    ["a thinking budget", thinking({ thinkingBudget: 1_024 }), NO_BUDGET],
    ["a budget of nothing", thinking({ thinkingBudget: 0 }), NO_BUDGET],
    [
      "both ways to say how much",
      thinking({ thinkingBudget: 1_024, thinkingLevel: "LOW" }),
      "400 INVALID_ARGUMENT You can only set only one of",
    ],
    ["a minimal level", thinking({ thinkingLevel: "MINIMAL" }), `${NO_LEVEL} MINIMAL`],
    ["the highest level of the client", thinking({ thinkingLevel: "XHIGH" }), `${NO_LEVEL} XHIGH`],
    ["a penalty", configured({ frequencyPenalty: 0.5 }), "400 INVALID_ARGUMENT Penalty"],
    ["two candidates", configured({ candidateCount: 2 }), "400 INVALID_ARGUMENT Multiple"],
    [
      "a beginning of its answer",
      { contents: [user("hi"), { role: "model", parts: [{ text: "Well," }] }] },
      "400 INVALID_ARGUMENT Please ensure that the conversation ends with a user turn.",
    ],
    [
      "cached content",
      ask("hi", { cachedContent: "cachedContents/abc" }),
      "400 INVALID_ARGUMENT CachedContent is not supported",
    ],
  ])("refuses %s", async (_, body, expected) => {
    expect(await refusal(model, body)).toStartWith(expected);
  });

  test.each(["LOW", "MEDIUM", "HIGH"])("thinks at the level %s", async (thinkingLevel) => {
    expect(await refusal(model, thinking({ thinkingLevel }))).toBe("accepted");
  });

  test("ignores sampling options", async () => {
    const config = { temperature: 0.1, topP: 0.5, topK: 3 };
    expect(await refusal(model, configured(config))).toBe("accepted");
  });
});

test("3.8 flash has no minimal level, and 3.6 flash has one", async () => {
  const body = thinking({ thinkingLevel: "MINIMAL" });
  expect(await refusal("gemini-3.8-flash", body)).toStartWith(NO_LEVEL);
  expect(await refusal("gemini-3.6-flash", body)).toBe("accepted");
});

test.each([
  ["gemini-3.7-flash", "gemini-3.8-flash"],
  ["gemini-3.5-flash", "gemini-3.6-flash"],
])("%s is served by %s", async (asked, served) => {
  expect(at(await answerTo(sandbox, asked, ask("hi")), "modelVersion")).toBe(served);
});

test("roles are accepted in any case", async () => {
  const body = { contents: [{ role: "USER", parts: [{ text: "Say hi." }] }] };
  expect(await refusal("gemini-4-argon", body)).toBe("accepted");
});

test("a function result names its call", async () => {
  const talk = (id: JsonObject): JsonObject => ({
    contents: [
      user("hi"),
      {
        role: "model",
        parts: [
          {
            functionCall: { name: "get_weather", args: { city: "Paris" }, id: "a1" },
            thoughtSignature: "skip_thought_signature_validator",
          },
        ],
      },
      {
        role: "user",
        parts: [{ functionResponse: { name: "get_weather", response: { output: "x" }, ...id } }],
      },
    ],
    tools: [WEATHER],
  });
  expect(await refusal("gemini-4-argon", talk({ id: "a1" }))).toBe("accepted");
  expect(await refusal("gemini-4-argon", talk({}))).toContain("is missing the id");
  expect(await refusal("gemini-3.6-flash", talk({}))).toBe("accepted");
});

test("only video models accept a video request", async () => {
  const body = configured({ responseModalities: ["VIDEO"] });
  const answer = await answerTo(sandbox, "gemini-omni-1.2-flash", body);
  expect(at(partsOf(answer)[0], "inlineData", "mimeType")).toBe("video/mp4");
  expect(at(answer, "usageMetadata", "candidatesTokensDetails", 0, "modality")).toBe("VIDEO");
  expect(await refusal("gemini-4-argon", body)).toContain("response modalities (VIDEO)");
});

describe("a response that is longer than one request allows", () => {
  const LONG = "Count from 1 to 40. [[fault:hop tokens=30]]";
  const WHOLE = "Count from 1 to 40.";

  const candidateOf = (answer: JsonObject): JsonObject => asObject(at(answer, "candidates", 0));

  /** All hops of an answer. */
  async function hops(body: JsonObject, isStreamed: boolean): Promise<readonly JsonObject[]> {
    const all: JsonObject[] = [];
    let token: JsonObject = {};
    for (let count = 0; count < 20; count++) {
      const answers = isStreamed
        ? await chunksOf(sandbox, "gemini-4-argon", { ...body, ...token })
        : [await answerTo(sandbox, "gemini-4-argon", { ...body, ...token })];
      all.push(...answers);
      const last = candidateOf(answers.at(-1) ?? {});
      if (last["finishReason"] !== "CONTINUATION") return all;
      token = { continuationToken: last["continuationToken"] ?? null };
    }
    throw new Error("It goes on for ever.");
  }

  test.each([true, false])("continues with the token (streamed: %p)", async (isStreamed) => {
    const plain = textOf(await answerTo(sandbox, "gemini-4-argon", ask(WHOLE)));
    const all = await hops(ask(LONG), isStreamed);

    expect(textOf(...all)).toBe(plain);
    const reasons = all.map((each) => candidateOf(each)["finishReason"]).filter(Boolean);
    expect(reasons.length).toBeGreaterThan(2);
    expect(new Set(reasons.slice(0, -1))).toEqual(new Set(["CONTINUATION"]));
    expect(reasons.at(-1)).toBe("STOP");
  });

  test("has one limit for all its requests", async () => {
    const generationConfig = { maxOutputTokens: 90, thinkingConfig: { thinkingLevel: "LOW" } };
    const all = await hops(ask(LONG, { generationConfig }), false);
    const counted = all.map((each) => {
      const usage = asObject(at(each, "usageMetadata"));
      return Number(usage["candidatesTokenCount"] ?? 0) + Number(usage["thoughtsTokenCount"] ?? 0);
    });
    expect(candidateOf(all.at(-1) ?? {})["finishReason"]).toBe("MAX_TOKENS");
    expect(counted.length).toBeGreaterThan(1);
    expect(counted.reduce((sum, each) => sum + each, 0)).toBe(90);
  });

  test("does not continue with an invalid token or one of another request", async () => {
    const first = candidateOf(await answerTo(sandbox, "gemini-4-argon", ask(LONG)));
    const { continuationToken = null } = first;

    expect(await refusal("gemini-4-argon", ask("Another", { continuationToken }))).toContain(
      "does not belong",
    );
    expect(await refusal("gemini-4-argon", ask(LONG, { continuationToken: "AAAA" }))).toContain(
      "Invalid continuation token",
    );
    expect(await refusal("gemini-3.8-flash", ask(LONG, { continuationToken }))).toContain(
      "not supported",
    );
  });
});
