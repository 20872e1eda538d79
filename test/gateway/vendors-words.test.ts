import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openTestGateway, type TestGateway } from "#test/harness.ts";

const SECRET = "the-credential-of-the-operator-7";
const PICTURE = "http://localhost:3000/cats/one.png";
const PRIVATE_PICTURE = "https://files.corp.internal/cat.png?user=me@corp.example.com";

/** What the vendor says went wrong; `{host}` is its own address. */
const SAID = `Cannot fetch ${PICTURE} and ${PRIVATE_PICTURE} from {host}, asked with ${SECRET} by http://10.1.2.3:8000/x`;
const SHOWN = `Cannot fetch ${PICTURE} and ${PRIVATE_PICTURE} from [host], asked with [key] by [link]`;

let vendor: ReturnType<typeof Bun.serve>;
let gateway: TestGateway;

const EVENTS: Record<string, readonly string[]> = {
  chat: [`{"choices":[{"index":0,"delta":{"content":"Hello"}}]}`],
  messages: [
    `{"type":"message_start","message":{"usage":{"input_tokens":1,"output_tokens":1}}}`,
    `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
    `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}`,
  ],
};

/** What came before the failure has left for the caller by then. */
async function* slowly(events: readonly string[]) {
  for (const event of events) {
    yield Buffer.from(event);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

beforeAll(async () => {
  vendor = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const body = (await request.json()) as { stream?: boolean };
      const said = SAID.replace("{host}", `127.0.0.1:${vendor.port}`);
      const error = { type: "invalid_request_error", code: SECRET, param: SECRET, message: said };
      if (body.stream !== true) return Response.json({ type: "error", error }, { status: 400 });
      const style = new URL(request.url).pathname.includes("messages") ? "messages" : "chat";
      const last = JSON.stringify({ type: "error", error });
      const events = [...(EVENTS[style] ?? []), last].map((each) => {
        const { type } = JSON.parse(each) as { type?: string };
        return `${type === undefined ? "" : `event: ${type}\n`}data: ${each}\n\n`;
      });
      return new Response(slowly(events), { headers: { "content-type": "text/event-stream" } });
    },
  });
  const url = `http://127.0.0.1:${vendor.port}/v1`;
  gateway = await openTestGateway({
    yaml: `channels:
  - { name: chat, provider: openai, style: chat, base_url: "${url}", api_key: ${SECRET}, models: [gpt-4o-mini] }
  - { name: messages, provider: anthropic, base_url: "${url}", api_key: ${SECRET}, models: [claude-sonnet-4-5] }`,
  });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await vendor.stop(true);
});

function picture(model: string) {
  const text = { type: "text", text: "What is it?" };
  const links = [PICTURE, PRIVATE_PICTURE].map((url) => ({
    type: "image_url",
    image_url: { url },
  }));
  return { model, messages: [{ role: "user", content: [text, ...links] }] };
}

describe("a vendor's message keeps parts of the request, and loses data of the operator", () => {
  test.each(["gpt-4o-mini", "claude-sonnet-4-5"])("%s, in a complete response", async (model) => {
    const answer = await gateway.post("/v1/chat/completions", picture(model));
    const text = await answer.text();

    expect([answer.status, text]).toEqual([400, expect.stringContaining(SHOWN)]);
    expect(text).not.toContain(SECRET);
  });

  test.each(["gpt-4o-mini", "claude-sonnet-4-5"])(
    "%s, in the middle of a stream",
    async (model) => {
      const answer = await gateway.post("/v1/chat/completions", {
        ...picture(model),
        stream: true,
      });
      const text = await answer.text();

      expect(text).toContain("Hello");
      expect(text).toContain(SHOWN);
      expect(text).not.toContain(SECRET);
    },
  );
});
