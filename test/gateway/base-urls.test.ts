import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { KEY, openSimulated } from "#test/harness.ts";

const KEY_FOR_IMAGES = "only-for-images-0123456789abcd";
const QUESTION = [{ role: "user", content: "hi" }];
const CHAT = { model: "gpt-4o-mini", messages: QUESTION };
const MESSAGES = { model: "gpt-4o-mini", max_tokens: 9, messages: QUESTION };
const NATIVE = { contents: [{ role: "user", parts: [{ text: "hi" }] }] };
const VERB = "models/gpt-4o-mini:generateContent";

let opened: Awaited<ReturnType<typeof openSimulated>>;
beforeAll(async () => {
  opened = await openSimulated({
    yaml: `keys: [{ name: pictures, key: ${KEY_FOR_IMAGES}, endpoints: [images] }]`,
  });
});
afterAll(() => opened[Symbol.asyncDispose]());

describe("a base URL that is off by one segment works", () => {
  test.each([
    ["/chat/completions", CHAT, "chat.completion"],
    ["/v1/v1/chat/completions", CHAT, "chat.completion"],
    ["/v1beta/openai/chat/completions", CHAT, "chat.completion"],
    ["/openai/chat/completions", CHAT, "chat.completion"],
    ["/openai/deployments/gpt-4o-mini/chat/completions?api-version=2025-01-01", {}, "chat.c"],
    ["//v1//chat/completions/", CHAT, "chat.completion"],
    ["/v1/chat/completions/chat/completions", CHAT, "chat.completion"],
    ["/responses", { model: "gpt-4o-mini", input: "hi" }, '"response"'],
    ["/messages", MESSAGES, '"message"'],
    ["/v1/v1/messages", MESSAGES, '"message"'],
    ["/v1beta/v1/messages", MESSAGES, '"message"'],
    ["/anthropic/v1/messages", MESSAGES, '"message"'],
    ["/messages/count_tokens", MESSAGES, "input_tokens"],
    [`/${VERB}`, NATIVE, "candidates"],
    [`/v1/v1beta/${VERB}`, NATIVE, "candidates"],
    [`/v1beta/v1beta/${VERB}?alt=json`, NATIVE, "candidates"],
    ["/embeddings", { model: "text-embedding-3-small", input: "hi" }, '"list"'],
  ])("%s", async (path, body, shown) => {
    const sent = path.includes("deployments") ? { messages: QUESTION } : body;
    const response = await opened.post(path, sent);

    expect(await response.text()).toContain(shown);
    expect(response.status).toBe(200);
  });

  test.each(["/models", "/v1/v1/models", "/v1/models/", "/v1beta/openai/models"])(
    "%s is the list of models",
    async (path) => {
      const { object } = (await (await opened.get(path)).json()) as { object: string };

      expect(object).toBe("list");
    },
  );
});

describe("a deployment in the path is the model that is called", () => {
  const asked = (): unknown => opened.sandbox.requests.at(-1)?.body;

  test.each([false, true])("instead of the one in the body, stream: %p", async (stream) => {
    const response = await opened.post("/openai/deployments/gpt-4o/chat/completions", {
      model: "gpt-35-turbo",
      stream,
      messages: QUESTION,
    });

    expect(response.status).toBe(200);
    await response.text();
    expect(asked()).toMatchObject({ model: "gpt-4o", messages: QUESTION });
  });

  test("an unknown deployment is an unknown model", async () => {
    const response = await opened.post("/openai/deployments/none/chat/completions", CHAT);

    expect(response.status).toBe(404);
    expect(await response.text()).toContain("none");
  });

  test("for images and audio, too", async () => {
    const picture = await opened.post("/openai/deployments/gpt-image-1/images/generations", {
      prompt: "a cat",
    });
    expect(picture.status).toBe(200);

    const form = new FormData();
    form.set("file", new File([new Uint8Array(64)], "a.wav", { type: "audio/wav" }));
    form.set("model", "none");
    const path = "/openai/deployments/whisper-1/audio/transcriptions";
    const sound = await fetch(opened.url + path, {
      method: "POST",
      headers: { authorization: "Bearer test-key-0123456789abcdefghij" },
      body: form,
    });
    expect(await sound.text()).not.toContain("none");
  });
});

describe("another spelling of a path gives no more access than the path itself", () => {
  test.each(["/chat/completions", "/v1/v1/chat/completions", "/openai/deployments/m/embeddings"])(
    "%s needs a key that may call its endpoint",
    async (path) => {
      const nobody = await fetch(opened.url + path, { method: "POST", body: "{}" });
      expect(nobody.status).toBe(401);

      const other = await opened.post(path, CHAT, { authorization: `Bearer ${KEY_FOR_IMAGES}` });
      expect(other.status).toBe(403);
    },
  );

  test("the management API and the operator's endpoints have one spelling", async () => {
    for (const path of ["/v1/api/user/self", "/api//user/self", "/metrics/", "/v1/metrics"]) {
      expect((await opened.get(path)).status).toBe(404);
    }
  });
});

interface Refusal {
  readonly status: number;
  readonly allow: string | null;
  readonly body: Record<string, unknown>;
  readonly text: string;
}

async function refused(method: string, path: string, headers = {}): Promise<Refusal> {
  const response = await fetch(opened.url + path, { method, headers });
  const text = await response.text();
  const body = JSON.parse(text) as Record<string, unknown>;
  return { status: response.status, allow: response.headers.get("allow"), body, text };
}

const CHAT_ERROR = { error: { type: "invalid_request_error", code: "not_found" } };
const MESSAGES_ERROR = { type: "error", error: { type: "not_found_error" } };
const NATIVE_ERROR = { error: { code: 404, status: "NOT_FOUND" } };

describe("an unknown path is answered in its own style, with the nearest path", () => {
  test.each([
    ["/v1/chat/completion", {}, CHAT_ERROR, "Did you mean /v1/chat/completions?"],
    ["/v1/chat", {}, CHAT_ERROR, "Did you mean /v1/chat/completions?"],
    ["/llm/v1/chat/completions", {}, CHAT_ERROR, "Did you mean /v1/chat/completions?"],
    ["/v2/chat/completions", {}, CHAT_ERROR, "Did you mean /v1/chat/completions?"],
    ["/v1/mesages", {}, MESSAGES_ERROR, "Did you mean /v1/messages?"],
    ["/v1/message", {}, MESSAGES_ERROR, "Did you mean /v1/messages?"],
    ["/v1beta/model", {}, NATIVE_ERROR, "Did you mean /v1beta/models?"],
    ["/v1beta/xyz", {}, NATIVE_ERROR, "Unknown path POST /v1beta/xyz."],
    ["/v1beta1/xyz/abc", {}, NATIVE_ERROR, "Unknown path POST /v1beta1/xyz/abc."],
    ["/v1beta/interactions", {}, NATIVE_ERROR, "POST /v1beta/models/{model}:generateContent"],
    ["/v1/interactions/abc", {}, NATIVE_ERROR, "The Interactions API is not served here"],
    ["/v1/conversations", {}, CHAT_ERROR, "`previous_response_id` in POST /v1/responses"],
    ["/v1/conversations/c_1/items", {}, CHAT_ERROR, "The Conversations API is not served here"],
    ["/conversations", {}, CHAT_ERROR, "The Conversations API is not served here"],
    ["/v1/decisions", {}, CHAT_ERROR, "`text.format`"],
    ["/v1/skills", {}, CHAT_ERROR, "`tools[].environment.skills` of POST /v1/responses"],
    ["/v1/skills", { "anthropic-version": "2026-10-21" }, MESSAGES_ERROR, "`container.skills`"],
    ["/v1/live/sessions", {}, CHAT_ERROR, "POST /v1/audio/transcriptions"],
    ["/openai/v1/live/sessions/s_1/hangup", {}, CHAT_ERROR, "The Live API is not served here"],
    ["/v1/embedings", {}, CHAT_ERROR, "Did you mean /v1/embeddings?"],
    ["/xyz", {}, CHAT_ERROR, "Unknown path POST /xyz."],
    ["/", {}, CHAT_ERROR, "Unknown path POST /."],
    ["/api/usr", {}, { success: false }, "Did you mean /api/user?"],
    ["/videoc/nothing", {}, {}, "Unknown path POST /videoc/nothing."],
    ["/videoa", {}, { error: { message: expect.any(String) } }, "Unknown path POST /videoa."],
    // Whose client calls shows in its headers.
    ["/xyz", { "anthropic-version": "2023-06-01" }, MESSAGES_ERROR, "Unknown path"],
    ["/v1/batches", { "x-api-key": "k" }, MESSAGES_ERROR, "Unknown path"],
    ["/v1beta/cachedContents", { "x-goog-api-key": "k" }, NATIVE_ERROR, "Unknown path"],
    ["/xyz?key=k", {}, NATIVE_ERROR, "Unknown path POST /xyz."],
    ["/v1/chat/completion", { "x-goog-api-key": "k" }, NATIVE_ERROR, "Did you mean"],
  ])("%s %j", async (path, headers, format, message) => {
    const found = await refused("POST", path, headers);

    expect(found.status).toBe(404);
    expect(found.body).toMatchObject(format);
    expect(found.text).toContain(message);
  });

  test("a long path is truncated, and is compared with nothing", async () => {
    const { text, status } = await refused("GET", `/v1/${"a".repeat(4_000)}`);

    expect([status, text.length < 600]).toEqual([404, true]);
  });
});

describe("405 lists the allowed methods in the path's style", () => {
  test.each([
    ["GET", "/v1/chat/completions", "POST", { error: { code: "method_not_supported" } }],
    ["GET", "/chat/completions", "POST", { error: { code: "method_not_supported" } }],
    ["PUT", "/v1/messages", "POST", { type: "error" }],
    ["PUT", "/v1beta/models", "GET, HEAD", { error: { code: 405 } }],
    ["DELETE", "/v1/models/gpt-4o-mini", "GET, HEAD, POST", { error: {} }],
    ["PUT", "/v1/responses", "POST", { error: { code: "method_not_supported" } }],
    ["PATCH", "/api/user/self", "GET, HEAD, PUT, DELETE", { success: false }],
    ["GET", "/videob", "POST", { code: expect.any(Number) }],
    ["OPTIONS", "/v1/embeddings", "POST", { error: {} }],
  ])("%s %s: %s", async (method, path, allow, format) => {
    const found = await refused(method, path);

    expect([found.status, found.allow]).toEqual([405, allow]);
    expect(found.body).toMatchObject(format);
    expect(found.text).toContain(`This path takes ${allow}.`);
  });

  test.each([
    "/v1beta/models/gemini-2.5-flash:generateContent",
    "/v1/models/gemini-2.5-flash:countTokens",
    "/v1beta1/publishers/google/models/veo-3.0-generate-001:predictLongRunning",
  ])("for an operation on a model: %s", async (path) => {
    const response = await opened.get(path, { "x-goog-api-key": KEY });

    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
    expect(await response.json()).toMatchObject({ error: { code: 405 } });
  });

  test("for a path that only refuses a method", async () => {
    const response = await opened.get("/v1/responses");

    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
  });

  test("or in the style of the calling client", async () => {
    const messages = await refused("GET", "/v1/chat/completions", {
      "anthropic-version": "2023-06-01",
    });
    expect(messages.body).toMatchObject({ type: "error" });
  });
});
