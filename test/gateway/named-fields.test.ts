import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";

let sandbox: Sandbox;
let opened: TestGateway;
beforeAll(async () => {
  sandbox = await startSandbox();
  opened = await openTestGateway({
    yaml: `channels:
  - { name: claude, provider: anthropic, base_url: "${sandbox.url}/anthropic/v1", api_key: k, models: [claude-sonnet-4-5] }
  - { name: gpt, provider: openai, base_url: "${sandbox.url}/openai/v1", api_key: k, models: [gpt-4o-mini] }`,
    env: { SLUICE_LIMIT_MESSAGES: "4" },
  });
});
afterAll(async () => {
  await opened[Symbol.asyncDispose]();
  await sandbox.stop();
});

async function refusal(path: string, body: object) {
  const response = await opened.post(path, body);
  const { error } = (await response.json()) as { error: { message: string; param?: string } };
  return { status: response.status, message: error.message, param: error.param };
}

const SOUND = { data: "UklGRg==", format: "wav" };
const AUDIO = [{ type: "input_audio", input_audio: SOUND }];

describe("a refusal names the field as the client wrote it", () => {
  test("in the chat style, and in the responses style", async () => {
    const hello = { role: "user", content: "hi" };
    const chat = await refusal("/v1/chat/completions", {
      model: "claude-sonnet-4-5",
      messages: [hello, { role: "user", content: AUDIO }],
    });
    const responses = await refusal("/v1/responses", {
      model: "claude-sonnet-4-5",
      instructions: "Be brief.",
      input: [hello, { role: "user", content: AUDIO }],
    });

    expect([chat.status, responses.status]).toEqual([400, 400]);
    expect(chat.param).toStartWith("messages[1]");
    expect(responses.param).toStartWith("input[1]");
    expect(responses.message).toContain("'input[1]");
    expect(responses.message).not.toContain("messages[");
  });

  test("in the native style", async () => {
    const sound = { inlineData: { mimeType: "audio/wav", data: "UklGRg==" } };
    const native = await refusal("/v1beta/models/claude-sonnet-4-5:generateContent", {
      systemInstruction: { parts: [{ text: "Be brief." }] },
      contents: [
        { role: "user", parts: [{ text: "hi" }] },
        { role: "user", parts: [sound] },
      ],
    });

    expect(native.status).toBe(400);
    expect(native.message).toContain("'contents[1]");
    expect(native.message).not.toContain("messages[");
  });

  test("in the messages style, which has its instructions in another field", async () => {
    const found = await refusal("/v1/messages", {
      model: "gpt-4o-mini",
      max_tokens: 9,
      system: "Be brief.",
      messages: [
        { role: "user", content: "hi" },
        { role: "user", content: [{ type: "image", source: { type: "file", file_id: "f" } }] },
      ],
    });

    expect(found.status).toBe(400);
    expect(found.message).toContain("'messages[1]");
    expect(found.message).not.toContain("messages[2]");
  });
});

describe("the error for an empty or too long list names the limit", () => {
  const MANY_CALLS = 5;
  test.each([
    ["/v1/chat/completions", "messages", 1, { role: "user", content: "hi" }],
    ["/v1/messages", "messages", 1, { role: "user", content: "hi" }],
    ["/v1beta/models/gpt-4o-mini:generateContent", "contents", 1, { parts: [{ text: "hi" }] }],
    ["/v1/responses", "input", 0, { role: "user", content: "hi" }],
  ])("%s", async (path, field, least, item) => {
    const model = "gpt-4o-mini";
    const many = await refusal(path, {
      model,
      max_tokens: 9,
      [field]: Array(MANY_CALLS).fill(item),
    });
    expect([many.status, many.message]).toEqual([
      400,
      `'${field}' must be a list of ${least} to 4 items, but has 5.`,
    ]);

    const none = await refusal(path, { model, max_tokens: 9, [field]: [] });
    expect(none.status).toBe(400);
    expect(none.message).toContain(`'${field}'`);
    if (least > 0) expect(none.message).toContain("1 to 4 items");
  });
});

describe("a lost field is named as the client wrote it", () => {
  async function lossOf(path: string, body: object): Promise<string | null> {
    const response = await opened.post(path, body);
    expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
    return response.headers.get("sluice-lossy");
  }
  const PNG =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

  test("in the native style, by content and part", async () => {
    const body = {
      systemInstruction: { parts: [{ text: "Be brief." }] },
      contents: [
        { role: "user", parts: [{ text: "Draw a dot." }] },
        {
          role: "model",
          parts: [{ text: "Here." }, { inlineData: { mimeType: "image/png", data: PNG } }],
        },
        { role: "user", parts: [{ text: "Thanks." }] },
      ],
    };

    for (const model of ["claude-sonnet-4-5", "gpt-4o-mini"]) {
      for (const operation of ["generateContent", "streamGenerateContent"]) {
        expect(await lossOf(`/v1beta/models/${model}:${operation}`, body)).toBe(
          "contents[1].parts[1]",
        );
      }
    }
  });

  test("in the responses style, by item and part", async () => {
    const hello = { role: "user", content: "hi" };
    const searched = { type: "web_search_call", id: "ws_1", status: "completed", action: {} };
    const said = { role: "assistant", content: [{ type: "output_text", text: "Found." }] };
    const drawn = { type: "image_generation_call", id: "ig_1", status: "completed", result: PNG };
    const input = [hello, searched, said, drawn];

    expect(
      await lossOf("/v1/responses", {
        model: "claude-sonnet-4-5",
        instructions: "Be brief.",
        input,
      }),
    ).toBe("input[1], input[3]");
  });

  test("in the chat style", async () => {
    const messages = [{ role: "user", name: "ann", content: "hi" }];

    expect(
      await lossOf("/v1/chat/completions", { model: "claude-sonnet-4-5", max_tokens: 9, messages }),
    ).toBe("messages.name");
  });
});
