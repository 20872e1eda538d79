import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { listOf, memberOf, textOf } from "#lib/values.ts";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { asUser, bearer, openWithRoot, textIn, type Ask } from "#test/accounts.ts";
import { openBooks } from "#test/books.ts";
import type { TestGateway } from "#test/harness.ts";

// What https://code.claude.com/docs/en/llm-gateway-protocol (v2.1.257) asks of a gateway.

const MODEL = "claude-opus-5-5";
const VERSION = { "anthropic-version": "2023-06-01" };

let sandbox: Sandbox;
let gateway: TestGateway;
let ada: Ask;
let auditor: Ask;
let key: string;
beforeAll(async () => {
  sandbox = await startSandbox();
  gateway = await openWithRoot({
    yaml: `channels:
  - { name: claude, provider: anthropic, base_url: "${sandbox.url}/anthropic/v1", api_key: upstream-key, models: [${MODEL}, { name: claude-unheard-of, upstream: ${MODEL} }] }
`,
  });
  ada = await asUser(gateway.url, "ada");
  auditor = await asUser(gateway.url, "watcher", "auditor");
  const { data } = await ada("POST", "/api/token", { name: "code" });
  key = textIn(data, "key");
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await sandbox.stop();
});

async function ask(
  body: JsonObject,
  headers: Readonly<Record<string, string>> = {},
  path = "/v1/messages",
): Promise<{ readonly answer: Response; readonly json: JsonObject }> {
  const messages = [{ role: "user", content: "Say hi" }];
  const question = { model: MODEL, max_tokens: 2_000, messages, ...body };
  const answer = await gateway.post(path, question, { ...bearer(key), ...VERSION, ...headers });
  const json = parseJson(await answer.text());
  return { answer, json: isObject(json) ? json : {} };
}

function sent(): JsonObject {
  const body = sandbox.requests.at(-1)?.body;
  return isObject(body as Json) ? (body as JsonObject) : {};
}

test("a probe before the first call is answered without a credential", async () => {
  const answer = await fetch(`${gateway.url}/api/hello`, { method: "HEAD" });

  expect([answer.status, await answer.text()]).toEqual([200, ""]);
});

test("a query string has no effect", async () => {
  const { answer } = await ask({}, {}, "/v1/messages?beta=true");
  expect(answer.status).toBe(200);
  const { max_tokens: _, ...question } = { max_tokens: 1, model: MODEL };
  const messages = [{ role: "user", content: "hi" }];
  const counted = await gateway.post(
    "/v1/messages/count_tokens?beta=true",
    { ...question, messages },
    bearer(key),
  );
  expect(counted.status).toBe(200);
});

test("blocks of the system prompt are sent unchanged, including the first one", async () => {
  const system = [
    { type: "text", text: "x-anthropic-billing-header: cc_version=2.1.257; cc_entrypoint=cli;" },
    { type: "text", text: "You are Claude Code.", cache_control: { type: "ephemeral" } },
    { type: "text", text: "Be brief.\n" },
  ];
  await ask({ system });

  expect(sent()["system"]).toEqual(system);
});

test("either credential is accepted, and so are both together", async () => {
  const both = { ...bearer(key), "x-api-key": key };
  for (const headers of [bearer(key), { "x-api-key": key, authorization: "" }, both]) {
    const answer = await fetch(`${gateway.url}/v1/models?limit=1000`, {
      headers: { ...VERSION, ...Object.fromEntries(Object.entries(headers).filter(([, v]) => v)) },
      redirect: "error",
    });
    const list = parseJson(await answer.text());

    expect(answer.status).toBe(200);
    const shown = listOf(memberOf(list, "data")).map((each) => [
      memberOf(each, "id"),
      typeof memberOf(each, "display_name"),
    ]);
    expect(shown).toContainEqual([MODEL, "string"]);
  }
});

test("thinking is passed on for unknown models", async () => {
  const { answer } = await ask({ model: "claude-unheard-of", thinking: { type: "adaptive" } });

  expect(answer.status).toBe(200);
  expect(sent()["thinking"]).toEqual({ type: "adaptive" });
});

describe("a failure reaches the client with the vendor's complete message", () => {
  test("for thinking of another conversation", async () => {
    const tools = [{ name: "get_weather", input_schema: { type: "object" } }];
    const asked = { role: "user", content: "What is the weather in Paris?" };
    const thinking = { type: "adaptive" };
    const first = await ask({ tools, thinking, messages: [asked] });
    const answered = { role: "assistant", content: first.json["content"] ?? [] };
    const call = listOf(first.json["content"]).find(
      (each) => memberOf(each, "type") === "tool_use",
    );
    const id = textOf(memberOf(call, "id")) ?? "";
    const result = { type: "tool_result", tool_use_id: id, content: "Sunny" };
    const { answer, json } = await ask({
      tools,
      thinking,
      system: "Something else.",
      messages: [asked, answered, { role: "user", content: [result] }],
    });

    expect(answer.status).toBe(400);
    expect(json).toMatchObject({ type: "error", error: { type: "invalid_request_error" } });
    expect(memberOf(json["error"], "message")).toBe(
      "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. " +
        'Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block". ' +
        "That setting requires the `thinking-binding-controls-2026-08-01` value in the `anthropic-beta` header.",
    );
  });

  test("for a system message that the vendor does not accept, and for cache marks", async () => {
    const early = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "hi" },
    ];
    const system = await ask({ messages: early });
    expect(memberOf(system.json["error"], "message")).toBe(
      'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
    );
    const marked = [{ type: "text", text: "", cache_control: { type: "ephemeral" } }];
    const mark = await ask({ messages: [{ role: "user", content: marked }] });
    expect(memberOf(mark.json["error"], "message")).toBe(
      "cache_control cannot be set for empty text blocks",
    );
  });
});

describe("the client's session id", () => {
  const SESSION = {
    "x-claude-code-session-id": "5f0c2f5e-0d5e-4a43-9d8c-0c0a4a9b8c11",
    "x-claude-code-agent-id": "agent-7",
    "x-claude-code-parent-agent-id": "agent-1",
  };

  test("is in the journal, and only its owner can find it", async () => {
    const tagged = await ask({}, SESSION);
    await ask({});
    const long = await ask({}, { "x-claude-code-session-id": "s".repeat(5_000) });
    using books = openBooks(gateway.dataDir);
    await books.whenSettled();

    const found = await ada("GET", `/api/log/self?session=${SESSION["x-claude-code-session-id"]}`);
    const items = listOf(found.data["items"]);
    expect(items).toHaveLength(1);
    expect(items[0]).toMatchObject({
      id: tagged.answer.headers.get("x-request-id"),
      session_id: SESSION["x-claude-code-session-id"],
      agent_id: "agent-7",
      parent_agent_id: "agent-1",
    });
    const all = await auditor("GET", `/api/log?session=${SESSION["x-claude-code-session-id"]}`);
    expect(listOf(all.data["items"])).toHaveLength(1);
    const bob = await asUser(gateway.url, "bob");
    const others = await bob("GET", `/api/log/self?session=${SESSION["x-claude-code-session-id"]}`);
    expect(others.data["items"]).toEqual([]);

    const cut = await ada("GET", `/api/log/self/${long.answer.headers.get("x-request-id")}`);
    expect(cut.data["session_id"]).toBe("s".repeat(128));
    const untagged = await ada("GET", "/api/log/self?page_size=2");
    expect(listOf(untagged.data["items"])[1]).toMatchObject({ session_id: null, agent_id: null });
  });
});
