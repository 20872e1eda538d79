import { afterAll, beforeAll, expect, test } from "bun:test";
import { parseJson, type JsonObject } from "./json.ts";
import { startSandbox, type Sandbox } from "./server.ts";
import { asObject, at } from "./testing/chat.ts";
import { ask, post, refusalOf, user } from "./testing/gemini.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});

afterAll(() => sandbox.stop());

test("a missing key, a wrong key and a wrong token get different errors", async () => {
  await using guarded = await startSandbox({ apiKeys: ["AIza-right"] });
  const seen = async (query: string, headers: Record<string, string>) => {
    const url = `${guarded.url}/gemini/v1beta/models${query}`;
    const response = await fetch(url, { headers });
    if (response.status === 200) return 200;
    const error = asObject(at(parseJson(await response.text()), "error"));
    return [response.status, error["status"], at(error, "details", 0, "reason") ?? null];
  };

  expect(await seen("", {})).toEqual([403, "PERMISSION_DENIED", null]);
  expect(await seen("", { "x-goog-api-key": "no" })).toEqual([
    400,
    "INVALID_ARGUMENT",
    "API_KEY_INVALID",
  ]);
  expect(await seen("?key=no", {})).toEqual([400, "INVALID_ARGUMENT", "API_KEY_INVALID"]);
  expect(await seen("", { authorization: "Bearer no" })).toEqual([
    401,
    "UNAUTHENTICATED",
    "ACCESS_TOKEN_TYPE_UNSUPPORTED",
  ]);
  expect(await seen("", { "x-goog-api-key": "AIza-right" })).toBe(200);
  expect(await seen("?key=AIza-right", {})).toBe(200);
  expect(await seen("", { authorization: "Bearer AIza-right" })).toBe(200);
});

test("unknown models, verbs, paths and methods are not found", async () => {
  const seen = async (method: string, path: string) => {
    const response = await fetch(`${sandbox.url}/gemini/${path}`, {
      method,
      headers: { "x-goog-api-key": "k" },
      ...(method === "POST" ? { body: JSON.stringify(ask("hi")) } : {}),
    });
    return [response.status, response.headers.get("content-type")?.split(";")[0]];
  };
  const json = [404, "application/json"];
  const page = [404, "text/html"];

  expect(await seen("POST", "v1beta/models/gemini-none:generateContent")).toEqual(json);
  expect(await seen("GET", "v1beta/models/gemini-none")).toEqual(json);
  expect(await seen("POST", "v1beta/models/gemini-2.5-flash:fly")).toEqual(page);
  expect(await seen("GET", "v1beta/models/gemini-2.5-flash:generateContent")).toEqual(page);
  expect(await seen("POST", "v2/models/gemini-2.5-flash:generateContent")).toEqual(page);
  expect(await seen("POST", "v1beta/models")).toEqual(page);
  expect(await seen("POST", "v1beta/models/models%2Fgemini-2.5-flash:generateContent")).toEqual([
    400,
    "application/json",
  ]);
});

test("query parameters must be known", async () => {
  const call = (query: string) =>
    post(sandbox, `models/gemini-2.5-flash:generateContent${query}`, ask("hi"));

  expect((await call("?key=k&prettyPrint=false&$alt=json;enum-encoding=int")).status).toBe(200);
  expect(await refusalOf(await call("?beta=true"))).toContain("Cannot bind query parameter");
  expect(await refusalOf(await call("?alt=xml"))).toContain("400 INVALID_ARGUMENT");
});

test("the error of a stream request has the stream's format", async () => {
  const call = (query: string) =>
    post(sandbox, `models/gemini-none:streamGenerateContent${query}`, ask("hi"));
  const events = await call("?alt=sse");
  const array = await call("");

  expect([events.status, events.headers.get("content-type")]).toEqual([404, "text/event-stream"]);
  expect(at(parseJson(await events.text()), "error", "status")).toBe("NOT_FOUND");
  expect([array.status, array.headers.get("content-type")]).toEqual([
    404,
    "application/json; charset=UTF-8",
  ]);
  expect(at(parseJson(await array.text()), 0, "error", "status")).toBe("NOT_FOUND");
});

test("a prompt above the model's context is refused with both numbers", async () => {
  const body = ask("word ".repeat(9_000), { generationConfig: { responseModalities: ["AUDIO"] } });
  const call = "models/gemini-2.5-flash-preview-tts:generateContent";

  expect(await refusalOf(await post(sandbox, call, body))).toMatch(
    /^400 INVALID_ARGUMENT The input token count \(\d+\) exceeds .* \(8192\)\.$/,
  );
});

test("tokens are counted for a conversation or for a request, but not for both", async () => {
  const count = (body: JsonObject) => post(sandbox, "models/gemini-2.5-flash:countTokens", body);
  const inner = { model: "models/gemini-2.5-flash", ...ask("hi") };

  expect((await count(ask("hi"))).status).toBe(200);
  expect((await count({ generateContentRequest: inner })).status).toBe(200);
  expect(await refusalOf(await count({ ...ask("hi"), generateContentRequest: inner }))).toContain(
    "400",
  );
  expect(await refusalOf(await count({}))).toContain("CountTokensRequest.contents");
  expect(
    await refusalOf(await count({ generateContentRequest: { ...inner, model: "models/other" } })),
  ).toContain("has to be");
});

test("content below the minimum, or without a lifetime, is not cached", async () => {
  const create = async (body: JsonObject) =>
    refusalOf(await post(sandbox, "cachedContents", { model: "models/gemini-2.5-flash", ...body }));
  const long = user("Every harbour keeps a book of tides and winds. ".repeat(150));

  expect(await create(ask("hi"))).toContain("Cached content is too small.");
  expect(await create({ contents: [long], ttl: "soon" })).toContain("google.protobuf.Duration");
  expect(await create({ contents: [long], model: null })).toContain("model is required");
});
