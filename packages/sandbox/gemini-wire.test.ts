import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { countTokens } from "./engine/tokens.ts";
import { countPrompt } from "./gemini/prompt-tokens.ts";
import { parseJson, type JsonObject } from "./json.ts";
import { startSandbox, type Sandbox } from "./server.ts";
import { asObject, at, eventsIn, textAt } from "./testing/chat.ts";
import {
  SHOWN,
  WEATHER,
  answerTo,
  ask,
  chunksOf,
  partsOf,
  post,
  streamText,
  textOf,
} from "./testing/gemini.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});

afterAll(() => sandbox.stop());

const MODELS = ["gemini-2.0-flash", "gemini-2.5-flash", "gemini-3.6-flash"] as const;

test("an event stream has no names, no end mark, and the vendor's line ends", async () => {
  const response = await post(
    sandbox,
    "models/gemini-2.5-flash:streamGenerateContent?alt=sse",
    ask("Count to 9"),
  );
  const text = await response.text();

  expect(response.headers.get("content-type")).toBe("text/event-stream");
  expect(text.split("\r\n\r\n").at(-1)).toBe("");
  expect(text.replaceAll("\r\n\r\n", "")).not.toContain("\n");
  expect(text).not.toContain("[DONE]");
});

test("a stream without `alt=sse` is one JSON array", async () => {
  const response = await post(
    sandbox,
    "models/gemini-2.5-flash:streamGenerateContent",
    ask("Count to 9"),
  );
  const text = await response.text();

  const list: JsonObject[] = JSON.parse(text);
  expect(response.headers.get("content-type")).toBe("application/json; charset=UTF-8");
  expect(list.length).toBeGreaterThan(2);
  expect(textOf(...list)).toBe("1, 2, 3, 4, 5, 6, 7, 8, 9");
  expect(sandbox.requests.at(-1)?.delivered.events).toBe(list.length);
});

test("the same paths work under the other version", async () => {
  const body = ask("Say hi");
  const call = "models/gemini-2.5-flash:generateContent";
  const other = await post(sandbox, call, body, { version: "v1" });

  expect(textOf(parseJson(await other.text()))).toBe("hi");
});

describe.each(MODELS)("%s", (model) => {
  test("every part of a stream has one id and the model's name, and only the last a finish reason", async () => {
    const chunks = await chunksOf(sandbox, model, ask("Write about 40 words on tides"));

    const ids = chunks.map((chunk) => textAt(chunk, "responseId"));
    const reasons = chunks.map((chunk) => at(chunk, "candidates", 0, "finishReason") ?? null);
    expect(new Set(ids).size).toBe(1);
    expect(chunks.every((chunk) => chunk["modelVersion"] === model)).toBe(true);
    expect(reasons.slice(0, -1).every((reason) => reason === null)).toBe(true);
    expect(reasons.at(-1)).toBe("STOP");
  });

  test("a stream has the same content as a complete response", async () => {
    const body = ask("Explain the moon in 2 sentences");
    const [whole, chunks] = [
      await answerTo(sandbox, model, body),
      await chunksOf(sandbox, model, body),
    ];

    expect(textOf(...chunks)).toBe(textOf(whole));
    expect(chunks.at(-1)?.["usageMetadata"]).toEqual(whole["usageMetadata"] ?? null);
  });

  test("the total is the prompt, the reasoning and the output, counted as delivered", async () => {
    const body = ask(
      "Count to 12",
      model === "gemini-2.0-flash" ? {} : { generationConfig: SHOWN },
    );
    const usage = asObject((await chunksOf(sandbox, model, body)).at(-1)?.["usageMetadata"]);
    const delivered = sandbox.requests.at(-1)?.delivered.tokens;

    const count = (name: string) => Number(usage[name] ?? 0);
    const [answer, thoughts] = [count("candidatesTokenCount"), count("thoughtsTokenCount")];
    expect(answer).toBe(countTokens("1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12"));
    expect(thoughts > 0).toBe(model !== "gemini-2.0-flash");
    expect(count("totalTokenCount")).toBe(count("promptTokenCount") + answer + thoughts);
    expect(delivered).toBe(answer + thoughts);
  });

  test("a response ends at the limit, including reasoning, and before a stop sequence", async () => {
    const limited = await answerTo(
      sandbox,
      model,
      ask("Count to 100", { generationConfig: { maxOutputTokens: 7 } }),
    );
    const stopped = await answerTo(
      sandbox,
      model,
      ask("Count to 9", { generationConfig: { stopSequences: [", 7", ", 4"] } }),
    );

    const thinks = model !== "gemini-2.0-flash";
    expect(at(limited, "candidates", 0, "finishReason")).toBe("MAX_TOKENS");
    expect(textOf(limited)).toBe(thinks ? "" : "1, 2, 3, 4");
    expect(at(limited, "candidates", 0, "content", "parts") === undefined).toBe(thinks);
    expect([textOf(stopped), at(stopped, "candidates", 0, "finishReason")]).toEqual([
      "1, 2, 3",
      "STOP",
    ]);
  });

  test("a call that the limit truncates is omitted", async () => {
    const config = { maxOutputTokens: 4, ...thoughtless(model) };
    const body = ask("Weather in Paris", { tools: [WEATHER], generationConfig: config });
    const answer = await answerTo(sandbox, model, body);

    expect(JSON.stringify(answer)).not.toContain("functionCall");
    expect(at(answer, "candidates", 0, "finishReason")).toBe("MAX_TOKENS");
    expect(at(answer, "usageMetadata", "candidatesTokenCount")).toBe(4);
  });
});

function thoughtless(model: string): JsonObject {
  return model === "gemini-2.0-flash" ? {} : { thinkingConfig: { thinkingBudget: 0 } };
}

test("without a limit of the client the model's own applies", async () => {
  const answer = await answerTo(sandbox, "gemini-2.0-flash", ask("Write 20000 words on tides"));

  expect(at(answer, "usageMetadata", "candidatesTokenCount")).toBe(8_192);
  expect(at(answer, "candidates", 0, "finishReason")).toBe("MAX_TOKENS");
});

test("parallel calls come in one chunk, and from the third generation on each in its own, with ids", async () => {
  const body = ask("Weather in Paris and in Rome", { tools: [WEATHER] });
  const calls = async (model: string) =>
    (await chunksOf(sandbox, model, body)).map((chunk) =>
      partsOf(chunk).map((part) =>
        part["functionCall"] === undefined ? "text" : textAt(part, "functionCall", "args", "city"),
      ),
    );
  const third = await answerTo(sandbox, "gemini-3.6-flash", body);
  const second = await answerTo(sandbox, "gemini-2.5-flash", body);

  expect(await calls("gemini-2.0-flash")).toEqual([["Paris", "Rome"]]);
  expect(await calls("gemini-2.5-flash")).toEqual([["Paris", "Rome"]]);
  expect(await calls("gemini-3.6-flash")).toEqual([["Paris"], ["Rome"], ["text"]]);
  const ids = partsOf(third).map((part) => at(part, "functionCall", "id"));
  expect(new Set(ids).size).toBe(2);
  expect(partsOf(second).some((part) => at(part, "functionCall", "id") !== undefined)).toBe(false);
});

test("usage grows along a stream, in the form of each generation", async () => {
  const told = async (model: string, generationConfig: JsonObject) => {
    const chunks = await chunksOf(sandbox, model, ask("Count to 30", { generationConfig }));
    return chunks.map((chunk) => {
      const { thoughtsTokenCount: thoughts = 0, candidatesTokenCount: answer = 0 } = asObject(
        chunk["usageMetadata"],
      );
      return { thought: partsOf(chunk)[0]?.["thought"] === true, thoughts, answer };
    });
  };
  const [first, second, third] = [
    await told("gemini-2.0-flash", {}),
    await told("gemini-2.5-flash", SHOWN),
    await told("gemini-3.6-flash", SHOWN),
  ];

  // Nothing is told before the end.
  expect(first.slice(0, -1).every(({ answer }) => answer === 0)).toBe(true);
  // Everything is told at once.
  const counted = second.filter(({ thought }) => thought).map(({ thoughts }) => thoughts);
  expect([counted[0], counted.at(-1)]).toEqual([40, second.at(-1)?.thoughts]);
  expect(second.filter(({ thought }) => !thought)[1]?.answer).toBe(8);
  // The thoughts are told with the first words.
  const [thinking, speaking] = [
    third.filter((each) => each.thought),
    third.filter((each) => !each.thought),
  ];
  expect(thinking.length).toBeGreaterThan(1);
  expect(thinking.every(({ thoughts }) => thoughts === 0)).toBe(true);
  expect(speaking[0]).toEqual({ thought: false, thoughts: third.at(-1)?.thoughts ?? 0, answer: 4 });
});

test("reasoning is shown before the text, on request only", async () => {
  const hidden = await answerTo(sandbox, "gemini-2.5-flash", ask("Say hi"));
  const shown = await chunksOf(
    sandbox,
    "gemini-2.5-flash",
    ask("Say hi", { generationConfig: SHOWN }),
  );

  const kinds = partsOf(...shown).map((part) => part["thought"] === true);
  expect(partsOf(hidden).some((part) => "thought" in part)).toBe(false);
  expect(Number(at(hidden, "usageMetadata", "thoughtsTokenCount"))).toBeGreaterThan(20);
  expect(kinds.indexOf(false)).toBe(kinds.length - 1);
  expect(kinds.filter(Boolean).length).toBeGreaterThan(0);
});

test("a level and a budget control the length of the reasoning", async () => {
  const thoughts = async (model: string, thinkingConfig: JsonObject) => {
    const answer = await answerTo(
      sandbox,
      model,
      ask("Say hi", { generationConfig: { thinkingConfig } }),
    );
    return Number(at(answer, "usageMetadata", "thoughtsTokenCount") ?? 0);
  };

  const levels = ["minimal", "LOW", "MEDIUM", "HIGH"].map((thinkingLevel) =>
    thoughts("gemini-3-flash-preview", { thinkingLevel }),
  );
  const lengths = await Promise.all(levels);
  expect(lengths).toEqual(lengths.toSorted((left, right) => left - right));
  expect(new Set(lengths).size).toBe(4);
  expect(await thoughts("gemini-2.5-flash", { thinkingBudget: 0 })).toBe(0);
  expect(await thoughts("gemini-2.5-flash", { thinkingBudget: 12 })).toBe(12);
  expect(await thoughts("gemini-2.5-flash-lite", {})).toBe(0);
  expect(await thoughts("gemini-2.5-flash-lite", { thinking_budget: -1 })).toBeGreaterThan(0);
});

test("several candidates are interleaved, and all are charged", async () => {
  const body = ask("Count to 5", { generationConfig: { candidateCount: 3 } });
  const chunks = await chunksOf(sandbox, "gemini-2.0-flash", body);
  const whole = await answerTo(sandbox, "gemini-2.0-flash", body);

  const order = chunks.slice(0, 3).map((chunk) => at(chunk, "candidates", 0, "index"));
  expect(order).toEqual([0, 1, 2]);
  expect(at(whole, "candidates")).toHaveLength(3);
  const spent = at(chunks.at(-1), "usageMetadata", "candidatesTokenCount");
  expect(spent).toBe(3 * countTokens("1, 2, 3, 4, 5"));
});

test("input tokens equal countTokens and the exported count, by modality", async () => {
  const image = { inlineData: { mimeType: "image/png", data: PNG } };
  const request = {
    contents: [{ role: "user", parts: [{ text: "What is this?" }, image] }],
    systemInstruction: { parts: [{ text: "Be brief." }] },
    tools: [WEATHER],
  };
  const answer = await answerTo(sandbox, "gemini-2.5-flash", request);
  const counted = await post(sandbox, "models/gemini-2.5-flash:countTokens", {
    generateContentRequest: { model: "models/gemini-2.5-flash", ...request },
  });

  const usage = asObject(answer["usageMetadata"]);
  const count = asObject(parseJson(await counted.text()));
  expect(count["totalTokens"]).toBe(usage["promptTokenCount"] ?? null);
  expect(count["promptTokensDetails"]).toEqual(usage["promptTokensDetails"] ?? null);
  expect(at(usage, "promptTokensDetails", 1)).toEqual({ modality: "IMAGE", tokenCount: 258 });

  const plain = await answerTo(sandbox, "gemini-2.5-flash", ask("How many tokens?"));
  const foretold = countPrompt({
    system: "",
    contents: [{ role: "user", parts: [{ text: "How many tokens?" }] }],
    toolsText: "[]",
    tools: NO_TOOLS,
  });
  expect(at(plain, "usageMetadata", "promptTokenCount")).toBe(foretold.total);
});

const NO_TOOLS = {
  functions: [],
  choice: { mode: "none" },
  searches: false,
  runsCode: false,
  readsUrls: false,
  showsInvocations: false,
} as const;

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAC0lEQVR4nGNgwAQAABAAAVJKdW0AAAAASUVORK5CYII=";

test("a repeated long prefix is reported as cached", async () => {
  const long = "All work and no play makes a very dull manual. ".repeat(200);
  const systemInstruction = { parts: [{ text: `${Bun.randomUUIDv7()} ${long}` }] };
  const usage = async (text: string) =>
    asObject(
      (await answerTo(sandbox, "gemini-2.5-flash", ask(text, { systemInstruction })))[
        "usageMetadata"
      ],
    );
  const [first, second] = [await usage("Say one"), await usage("Say two")];

  expect("cachedContentTokenCount" in first).toBe(false);
  expect(Number(second["cachedContentTokenCount"])).toBeGreaterThanOrEqual(1_024);
  expect(at(second, "cacheTokensDetails", 0, "modality")).toBe("TEXT");
});

test("the same request gets the same response under another id", async () => {
  const first = await answerTo(sandbox, "gemini-2.5-flash", ask("Tell me about tides"));
  const second = await answerTo(sandbox, "gemini-2.5-flash", ask("Tell me about tides"));

  expect(first["candidates"]).toEqual(second["candidates"] ?? null);
  expect(first["responseId"]).not.toBe(second["responseId"] ?? null);
});

test("names may have either spelling, and a list of one may omit its brackets", async () => {
  const answer = await answerTo(sandbox, "gemini-2.5-flash", {
    contents: { parts: { text: "Say boop" } },
    system_instruction: { parts: { text: "Be brief." } },
    generation_config: { max_output_tokens: "900", thinking_config: { thinking_budget: 0 } },
    tool_config: { function_calling_config: { mode: "auto" } },
  });

  expect(textOf(answer)).toBe("boop");
});

test("the usage in a stream's last event counts the delivered output", async () => {
  const body = ask("Write about 60 words on lighthouses");
  const text = await streamText(sandbox, "gemini-2.0-flash", body);
  const record = sandbox.requests.at(-1);

  const last = asObject(parseJson(eventsIn(text).at(-1) ?? ""));
  expect(record?.state).toBe("finished");
  expect(record?.delivered).toEqual({
    bytes: Buffer.byteLength(text),
    events: eventsIn(text).length,
    tokens: Number(at(last, "usageMetadata", "candidatesTokenCount")),
  });
});
