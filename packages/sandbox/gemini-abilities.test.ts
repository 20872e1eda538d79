import { afterAll, beforeAll, expect, test } from "bun:test";
import { parseJson, type JsonObject } from "./json.ts";
import { startSandbox, type Sandbox } from "./server.ts";
import { asObject, at, textAt } from "./testing/chat.ts";
import { lookAt } from "./testing/pictures.ts";
import { WEATHER, answerTo, ask, chunksOf, partsOf, post, textOf } from "./testing/gemini.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});

afterAll(() => sandbox.stop());

test("log probabilities are returned for every token, with the requested number of alternatives", async () => {
  const generationConfig = { responseLogprobs: true, logprobs: 2 };
  const body = ask("Say schöne Grüße", { generationConfig });
  const answer = await answerTo(sandbox, "gemini-2.0-flash", body);

  const result = asObject(at(answer, "candidates", 0, "logprobsResult"));
  const chosen = JSON.parse(JSON.stringify(result["chosenCandidates"]));
  expect(chosen.map((each: { token: string }) => each.token).join("")).toBe("schöne Grüße");
  expect(at(result, "topCandidates", 0, "candidates")).toHaveLength(2);
  expect(at(answer, "candidates", 0, "avgLogprobs")).toBeNumber();
});

test("blocked content ends with its reason, unless the client turned the filter off", async () => {
  const open = [{ category: "HARM_CATEGORY_DANGEROUS_CONTENT", threshold: "OFF" }];
  const held = await answerTo(sandbox, "gemini-2.5-flash", ask("please refuse"));
  const told = await answerTo(
    sandbox,
    "gemini-2.5-flash",
    ask("please refuse", { safetySettings: open }),
  );
  const blocked = await answerTo(sandbox, "gemini-2.5-flash", ask("please block this prompt"));

  expect(at(held, "candidates", 0, "finishReason")).toBe("SAFETY");
  expect(partsOf(held)).toEqual([]);
  expect(at(held, "candidates", 0, "safetyRatings", 3)).toMatchObject({ blocked: true });
  expect([
    textOf(told).includes("can't assist"),
    at(told, "candidates", 0, "finishReason"),
  ]).toEqual([true, "STOP"]);
  expect(blocked).toMatchObject({ promptFeedback: { blockReason: "PROHIBITED_CONTENT" } });
  expect("candidates" in blocked).toBe(false);
});

test("images are real files, in the format of their generation and the requested shape", async () => {
  const answer = await answerTo(
    sandbox,
    "gemini-3-pro-image",
    ask("A lighthouse", {
      generationConfig: {
        responseModalities: ["IMAGE"],
        imageConfig: { aspectRatio: "16:9", imageSize: "1K" },
      },
    }),
  );
  const unasked = await answerTo(sandbox, "gemini-2.5-flash-image", ask("A lighthouse"));

  const [part] = partsOf(answer);
  const seen = (data: string) => lookAt(Buffer.from(data, "base64"));
  expect(textAt(part, "inlineData", "mimeType")).toBe("image/jpeg");
  expect(await seen(textAt(part, "inlineData", "data"))).toBe("jpeg 1376x768");
  expect(await seen(textAt(partsOf(unasked)[1], "inlineData", "data"))).toBe("png 1024x1024");
  expect(part?.["thoughtSignature"]).toBeString();
  expect(at(answer, "usageMetadata", "candidatesTokensDetails", 0, "modality")).toBe("IMAGE");
  expect(partsOf(unasked).map((each) => Object.keys(each))).toEqual([["text"], ["inlineData"]]);
});

test("spoken responses are samples in chunks", async () => {
  const chunks = await chunksOf(
    sandbox,
    "gemini-2.5-flash-preview-tts",
    ask("Say good morning to all of them", { generationConfig: { responseModalities: ["audio"] } }),
  );

  const parts = partsOf(...chunks);
  expect(parts.length).toBeGreaterThan(1);
  expect(new Set(parts.map((part) => textAt(part, "inlineData", "mimeType")))).toEqual(
    new Set(["audio/L16;codec=pcm;rate=24000"]),
  );
  expect(at(chunks.at(-1), "candidates", 0, "finishReason")).toBe("STOP");
});

test("a response from the web has the pages for its byte ranges", async () => {
  const body = ask("Search the web and write 3 sentences on Zürich and Genève", {
    tools: [{ google_search: {} }],
  });
  const whole = await answerTo(sandbox, "gemini-2.5-flash", body);
  const chunks = await chunksOf(sandbox, "gemini-3.5-flash", body);

  const metadata = asObject(at(whole, "candidates", 0, "groundingMetadata"));
  const bytes = Buffer.from(textOf(whole));
  const segments = [0, 1, 2].map((index) =>
    asObject(at(metadata, "groundingSupports", index, "segment")),
  );
  const marked = segments.map(({ startIndex = 0, endIndex }) =>
    bytes.subarray(Number(startIndex), Number(endIndex)).toString(),
  );
  expect(marked).toEqual(segments.map((segment) => textAt(segment, "text")));
  expect(marked.join(" ")).toBe(textOf(whole));
  expect(marked[0]).toContain("zürich");
  expect(segments.map((segment) => "startIndex" in segment)).toEqual([false, true, true]);
  expect(at(metadata, "webSearchQueries")).toHaveLength(1);
  expect(textAt(metadata, "groundingChunks", 0, "web", "uri")).toContain("grounding-api-redirect");
  const grounded = chunks.map(
    (chunk) => at(chunk, "candidates", 0, "groundingMetadata") !== undefined,
  );
  expect(grounded.lastIndexOf(true)).toBe(chunks.length - 1);
  expect(grounded.filter(Boolean)).toHaveLength(1);
});

test("code is run, a search is shown, and pages are read, each with its own parts and counts", async () => {
  const code = await answerTo(
    sandbox,
    "gemini-3.5-flash",
    ask("What is 12 * (3 + 4)?", { tools: [{ codeExecution: {} }] }),
  );
  const search = await answerTo(
    sandbox,
    "gemini-3.5-flash",
    ask("Search the web for tides", {
      tools: [{ googleSearch: {} }, WEATHER],
      toolConfig: { includeServerSideToolInvocations: true },
    }),
  );
  const page = await answerTo(
    sandbox,
    "gemini-3.5-flash",
    ask("Summarize https://example.com/tides please", { tools: [{ url_context: {} }] }),
  );

  const keys = (answer: JsonObject) => partsOf(answer).map((part) => Object.keys(part)[0]);
  expect(keys(code)).toEqual(["executableCode", "codeExecutionResult", "text"]);
  expect(at(partsOf(code)[1], "codeExecutionResult", "output")).toBe("result=84\n");
  expect(keys(search)).toEqual(["toolCall", "toolResponse", "text"]);
  expect(at(page, "candidates", 0, "urlContextMetadata", "urlMetadata", 0)).toEqual({
    retrievedUrl: "https://example.com/tides",
    urlRetrievalStatus: "URL_RETRIEVAL_STATUS_SUCCESS",
  });
  for (const answer of [code, page]) {
    const usage = asObject(answer["usageMetadata"]);
    expect(Number(usage["toolUsePromptTokenCount"])).toBeGreaterThan(0);
    expect(Number(usage["totalTokenCount"])).toBe(
      ["promptTokenCount", "candidatesTokenCount", "toolUsePromptTokenCount", "thoughtsTokenCount"]
        .map((name) => Number(usage[name]))
        .reduce((sum, each) => sum + each),
    );
  }
});

test("models are listed in pages, each with its methods", async () => {
  const get = async (path: string) =>
    asObject(
      parseJson(
        await (
          await fetch(`${sandbox.url}/gemini/v1beta/${path}`, {
            headers: { "x-goog-api-key": "k" },
          })
        ).text(),
      ),
    );
  const first = await get("models?pageSize=3");
  const second = await get(`models?pageSize=3&pageToken=${textAt(first, "nextPageToken")}`);
  const all = await get("models?pageSize=1000");
  const one = await get("models/gemini-2.5-flash");

  const names = (page: JsonObject) =>
    JSON.parse(JSON.stringify(page["models"])).map((model: { name: string }) => model.name);
  expect([...names(first), ...names(second)]).toEqual(names(all).slice(0, 6));
  expect("nextPageToken" in all).toBe(false);
  expect(one).toMatchObject({
    name: "models/gemini-2.5-flash",
    inputTokenLimit: 1_048_576,
    outputTokenLimit: 65_536,
    thinking: true,
  });
});

test("cached content need not be sent again, until it expires or is deleted", async () => {
  let now = Date.parse("2026-05-01T10:00:00Z");
  await using timed = await startSandbox({ now: () => now });
  const long = "Every harbour keeps a book of tides and winds. ".repeat(150);
  const created = await post(timed, "cachedContents", {
    model: "models/gemini-2.5-flash",
    systemInstruction: { parts: [{ text: `${long} Always reply with exactly: ahoy` }] },
    ttl: "300s",
  });
  const cache = asObject(parseJson(await created.text()));
  const request = ask("What now?", { cachedContent: cache["name"] ?? null });
  const answer = await answerTo(timed, "gemini-2.5-flash", request);

  expect(cache).toMatchObject({
    model: "models/gemini-2.5-flash",
    createTime: "2026-05-01T10:00:00.000Z",
    expireTime: "2026-05-01T10:05:00.000Z",
  });
  expect(textOf(answer)).toBe("ahoy");
  const usage = asObject(answer["usageMetadata"]);
  expect(usage["cachedContentTokenCount"]).toBe(
    at(cache, "usageMetadata", "totalTokenCount") ?? null,
  );
  expect(Number(usage["promptTokenCount"])).toBeGreaterThan(
    Number(usage["cachedContentTokenCount"]),
  );

  const mixed = await answerTo(timed, "gemini-2.5-flash", { ...request, tools: [WEATHER] });
  const other = await answerTo(timed, "gemini-2.5-pro", request);
  expect([at(mixed, "error", "code"), at(other, "error", "code")]).toEqual([400, 400]);
  now += 301_000;
  const late = await answerTo(timed, "gemini-2.5-flash", request);
  expect(at(late, "error", "status")).toBe("PERMISSION_DENIED");
});
