import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { asRoot, openWithRoot } from "#test/accounts.ts";
import type { TestGateway } from "#test/harness.ts";

/** A vendor that takes none of three members. */
let bodies: Record<string, unknown>[] = [];
const vendor = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const body = (await request.json()) as Record<string, unknown>;
    bodies.push(body);
    const refused = ["novelty", "metadata", "response_format"].find((name) => name in body);
    if (refused !== undefined) return refusing(refused);
    return body["stream"] === true ? new Response(STREAM, EVENTS) : Response.json(ANSWER);
  },
});

const ANSWER = {
  id: "c",
  object: "chat.completion",
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "Hi." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
};
const EVENTS = { headers: { "content-type": "text/event-stream" } };
const STREAM = [
  { choices: [{ index: 0, delta: { role: "assistant", content: "Hi." }, finish_reason: "stop" }] },
  { choices: [], usage: ANSWER.usage },
]
  .map(
    (chunk) =>
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", ...chunk })}\n\n`,
  )
  .concat("data: [DONE]\n\n")
  .join("");

function refusing(name: string): Response {
  const message = `Unknown parameter: '${name}'.`;
  const error = { message, type: "invalid_request_error", param: name, code: "unknown_parameter" };
  return Response.json({ error }, { status: 400 });
}

let opened: TestGateway;
beforeAll(async () => {
  opened = await openWithRoot({
    yaml: `channels:
  - name: house
    provider: openai-compatible
    base_url: http://127.0.0.1:${vendor.port}/v1
    api_key: k
    models: [whole, streamed, translated, strict, vital, several]
`,
  });
});
beforeEach(() => {
  bodies = [];
});
afterAll(async () => {
  await opened[Symbol.asyncDispose]();
  await vendor.stop(true);
});

const MESSAGES = [{ role: "user", content: "Hi" }];

function ask(
  model: string,
  more: object = {},
  headers: Record<string, string> = {},
): Promise<Response> {
  const body = { model, messages: MESSAGES, ...more };
  return opened.post("/v1/chat/completions", body, headers);
}

describe("a member that the vendor refuses by name", () => {
  test.each([
    ["whole", {}],
    ["streamed", { stream: true }],
  ])("is left out of a retry, and of later calls: %s", async (model, more) => {
    const first = await ask(model, { novelty: 1, ...more });
    expect(first.status).toBe(200);
    expect(first.headers.get("sluice-lossy")).toBe("novelty");
    await first.text();
    expect(bodies.map((body) => "novelty" in body)).toEqual([true, false]);

    const second = await ask(model, { novelty: 1, ...more });
    await second.text();
    expect(second.headers.get("sluice-lossy")).toBe("novelty");
    expect(bodies).toHaveLength(3);
  });

  test("is left out of translated requests as well", async () => {
    const answer = await opened.post("/v1/messages", {
      model: "translated",
      max_tokens: 9,
      messages: MESSAGES,
      metadata: { user_id: "u" },
    });

    expect(answer.status).toBe(200);
    expect(bodies.every((body) => "metadata" in body)).toBe(false);
  });

  test("is removed one after another", async () => {
    const answer = await ask("several", { novelty: 1, metadata: { a: "b" } });

    expect(answer.status).toBe(200);
    expect(bodies).toHaveLength(3);
  });

  test("is refused for strict clients", async () => {
    const answer = await ask("strict", { novelty: 1 }, { "sluice-strict": "true" });

    expect(answer.status).toBe(400);
    expect(bodies).toHaveLength(1);
  });

  test("and that changes the meaning is reported to the client", async () => {
    const answer = await ask("vital", { response_format: { type: "json_object" } });

    expect(answer.status).toBe(400);
    expect(bodies).toHaveLength(1);
  });
});

test("operators can list the refused members that the gateway learned", async () => {
  const root = await asRoot(opened.url);
  const { data } = await root("GET", "/api/model");

  expect(data["refused_members"]).toContainEqual({
    channel: "house",
    model: "whole",
    style: "chat",
    member: "novelty",
    until: expect.any(String),
  });
});
