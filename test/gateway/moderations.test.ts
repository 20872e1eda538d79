import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { Json, JsonObject } from "#lib/json.ts";
import { memberOf, objectOf, textOf } from "#lib/values.ts";
import { asRoot, bearer, openWithRoot, textIn } from "#test/accounts.ts";
import { startAudioVendor, type AudioVendor } from "#test/audio-vendor.ts";
import { openBooks, type Row } from "#test/books.ts";
import { openTestGateway, simulatedChannel, type TestGateway } from "#test/harness.ts";
import { readLines, readShared, withVendors } from "#test/shared.ts";

let vendor: AudioVendor;
let opened: TestGateway;
beforeAll(async () => {
  vendor = startAudioVendor();
  opened = await openWithRoot({
    yaml: `
channels:
${simulatedChannel("own", `${vendor.url}/own`, "models: [omni-moderation-latest, counting, broken, liar, page]")}
${simulatedChannel("first", `${vendor.url}/first`, "models: [{ name: spared, upstream: broken }]\npriority: 0")}
${simulatedChannel("spare", `${vendor.url}/spare`, "models: [{ name: spared, upstream: judge }]\npriority: 1", "mistral")}
${simulatedChannel("text", vendor.url, "models: [deepseek-chat]", "deepseek")}
`,
  });
});
afterAll(async () => {
  await opened[Symbol.asyncDispose]();
  vendor[Symbol.dispose]();
});

let before = 0;
beforeEach(() => {
  before = vendor.heard.length;
});
const heard = () => vendor.heard.slice(before);

const PATH = "/v1/moderations";

const judge = (body: object, headers = {}, path = PATH): Promise<Response> =>
  opened.post(path, body, headers);

async function lastCall(): Promise<Row> {
  using books = openBooks(opened.dataDir);
  expect(await books.whenSettled()).toEqual([]);
  return books.calls().at(-1) ?? {};
}

async function errorOf(response: Response): Promise<JsonObject> {
  const { error } = (await response.json()) as { error: JsonObject };
  return { status: response.status, ...error };
}

describe("a moderation", () => {
  test.each([PATH, `/openai${PATH}`])(
    "at %s is sent and answered in the vendor's format, without cost",
    async (path) => {
      const body = { model: "omni-moderation-latest", input: ["kind", "kill"], later: { idea: 1 } };
      const response = await judge(body, {}, path);

      expect(response.headers.get("content-type")).toBe("application/json");
      expect(await response.json()).toMatchObject({
        id: "modr-1",
        model: "inner-moderator",
        results: [{ flagged: false }, { flagged: true }],
      });
      expect(heard().map(({ path: at, body: sent }) => [at, sent])).toEqual([
        ["/own/openai/v1/moderations", body],
      ]);
      expect(await lastCall()).toMatchObject({
        style: "moderations",
        outcome: "completed",
        cost: 0,
      });
    },
  );

  test("without a model uses the default model for moderations", async () => {
    const response = await judge({ input: "kill" });

    expect(response.status).toBe(200);
    expect(heard()[0]?.body).toEqual({ input: "kill", model: "omni-moderation-latest" });
    expect(await lastCall()).toMatchObject({ model: "omni-moderation-latest" });
  });

  test("of text and images is sent unchanged", async () => {
    const input = [
      { type: "text", text: "kill" },
      { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
    ];
    const response = await judge({ model: "omni-moderation-latest", input });

    expect(response.status).toBe(200);
    expect(heard()[0]?.body["input"]).toEqual(input);
  });

  test("is recorded with the vendor's count, or with an estimate without one", async () => {
    await judge({ model: "counting", input: "kill" });
    const counted = await lastCall();
    await judge({ model: "omni-moderation-latest", input: "a killer" });
    const estimated = await lastCall();

    expect(counted).toMatchObject({ input_tokens: 13, output_tokens: 0, is_estimated: 0 });
    expect(estimated).toMatchObject({ input_tokens: 2, output_tokens: 0, is_estimated: 1 });
  });

  test("comes from the next channel if the first fails", async () => {
    const response = await judge({ model: "spared", input: "kill" });

    expect(response.status).toBe(200);
    expect(heard().map(({ path, body }) => [path, body["model"]])).toEqual([
      ["/first/openai/v1/moderations", "broken"],
      ["/spare/openai/v1/moderations", "judge"],
    ]);
  });

  test("that is requested twice with one idempotency key is sent once", async () => {
    const headers = { "idempotency-key": "judged-once" };

    const first = await (await judge({ input: "kill" }, headers)).text();
    const again = await (await judge({ input: "kill" }, headers)).text();

    expect([again, heard().length]).toEqual([first, 1]);
  });
});

withVendors("corpus", () => {
  const recorded = readLines("corpus/index.jsonl")
    .filter(({ endpoint, status }) => endpoint === "moderations" && status === 200)
    .map(({ file }) => readShared(`corpus/${textOf(file) ?? ""}`));

  test("a recorded moderation passes unchanged, in both directions", async () => {
    let answer: Json = null;
    const asked: Json[] = [];
    using upstream = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      async fetch(request) {
        asked.push((await request.json()) as Json);
        return Response.json(answer);
      },
    });
    const channel = simulatedChannel("recorded", `http://127.0.0.1:${upstream.port}`);
    await using gateway = await openTestGateway({ yaml: `channels:\n${withModels(channel)}` });

    expect(recorded.length).toBeGreaterThan(3);
    for (const { request, response } of recorded) {
      const question = memberOf(request, "body");
      answer = memberOf(response, "body") ?? null;
      const told = await gateway.post(PATH, question);

      expect([told.status, await told.json()]).toEqual([200, answer]);
      const unnamed = { model: "omni-moderation-latest" };
      expect(asked.at(-1)).toEqual({ ...unnamed, ...objectOf(question) });
    }
  });

  function withModels(channel: string): string {
    const names = recorded.map(({ request }) =>
      textOf(memberOf(memberOf(request, "body"), "model")),
    );
    const known = [...new Set(names), "omni-moderation-latest"].filter(
      (name) => name !== undefined,
    );
    return `${channel}\n    models: [${known.join(", ")}]`;
  }
});

describe("a moderation is refused", () => {
  test.each<[string, object, string]>([
    ["without an input", {}, "input"],
    ["with nothing in a list", { input: [] }, "input"],
    ["with a number for an input", { input: 1 }, "input"],
    ["with a number among texts", { input: ["a", 1] }, "input[1]"],
    ["with a part of no type", { input: [{ text: "a" }] }, "input[0].type"],
    ["with a number for a model", { input: "a", model: 1 }, "model"],
  ])("%s, by its field", async (_, body, param) => {
    expect(await errorOf(await judge(body))).toMatchObject({
      status: 400,
      type: "invalid_request_error",
      param,
    });
    expect(heard()).toEqual([]);
  });

  test("for a model whose vendor has no moderations", async () => {
    expect(await errorOf(await judge({ model: "deepseek-chat", input: "a" }))).toMatchObject({
      status: 404,
      code: "model_not_found",
      message: expect.stringContaining("moderations"),
    });
  });

  test.each(["liar", "page"])(
    "if the vendor's successful response is invalid (%s)",
    async (model) => {
      const error = await errorOf(await judge({ model, input: "a" }));

      expect(error["status"]).toBe(502);
      expect(JSON.stringify(error)).not.toContain("script");
      expect(await lastCall()).toMatchObject({ outcome: "failed", cost: 0 });
    },
  );

  test("for a key that is for images only", async () => {
    const root = await asRoot(opened.url);
    const { data } = await root("POST", "/api/token", { name: "only", endpoints: ["images"] });

    const response = await judge({ input: "a" }, bearer(textIn(data, "key")));

    expect(await errorOf(response)).toMatchObject({ status: 403, code: "forbidden" });
  });
});
