import { afterAll, beforeAll, expect, test } from "bun:test";
import { isObject, parseJson, type JsonObject } from "#lib/json.ts";
import { memberOf } from "#lib/values.ts";
import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";

let sandbox: Sandbox;
let gateway: TestGateway;
beforeAll(async () => {
  sandbox = await startSandbox();
  const channel = (name: string, models: string, more = ""): string =>
    `  - { name: ${name}, provider: anthropic, base_url: "${sandbox.url}/anthropic/v1", api_key: upstream-key, models: [${models}]${more} }`;
  gateway = await openTestGateway({
    yaml: [
      "channels:",
      channel("plain", "claude-sonnet-4-5, claude-opus-5-5"),
      channel("newest", "claude-haiku-4-5", ', options: { version: "2026-10-21" }'),
    ].join("\n"),
  });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await sandbox.stop();
});

const HELLO = [{ role: "user", content: "Say hi" }];

async function ask(
  path: string,
  body: JsonObject,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; lost: string; message: string }> {
  const answer = await gateway.post(path, { messages: HELLO, ...body }, headers);
  const json = parseJson(await answer.text());
  const message = isObject(json) ? memberOf(json["error"], "message") : undefined;
  return {
    status: answer.status,
    lost: answer.headers.get("sluice-lossy") ?? "",
    message: typeof message === "string" ? message : "",
  };
}

const MESSAGE = { model: "claude-sonnet-4-5", max_tokens: 200 };

function sent(): Readonly<Record<string, string>> {
  return sandbox.requests.at(-1)?.headers ?? {};
}

test("a client's API version is sent unchanged", async () => {
  for (const version of ["2023-06-01", "2026-10-21"]) {
    const { status } = await ask("/v1/messages", MESSAGE, { "anthropic-version": version });

    expect([status, sent()["anthropic-version"]]).toEqual([200, version]);
  }
});

test("the vendor refuses sampling options in the newest version with its own message", async () => {
  const headers = { "anthropic-version": "2026-10-21" };
  const answer = await ask("/v1/messages", { ...MESSAGE, temperature: 0.5 }, headers);

  expect(answer.status).toBe(400);
  expect(answer.message).toBe("temperature: Extra inputs are not permitted");
});

test("a client without a version gets the oldest one at other hosts", async () => {
  const native = await ask("/v1/messages", { ...MESSAGE, temperature: 0.5 });
  expect([native.status, sent()["anthropic-version"]]).toEqual([200, "2023-06-01"]);
  const chat = await ask("/v1/chat/completions", { ...MESSAGE, temperature: 0.5 });
  expect([chat.status, chat.lost, sent()["anthropic-version"]]).toEqual([200, "", "2023-06-01"]);
});

test("a channel set to the newest version loses the sampling options of other styles, with a report", async () => {
  const body = { model: "claude-haiku-4-5", max_tokens: 200, temperature: 0.5, top_p: 1 };
  const chat = await ask("/v1/chat/completions", body);

  expect([chat.status, chat.lost]).toEqual([200, "temperature"]);
  expect(sent()["anthropic-version"]).toBe("2026-10-21");
});

test("headers of the vendor are sent for clients of its style, known or unknown", async () => {
  const own = {
    "anthropic-workspace-id": "wrkspc_1",
    "anthropic-something-new": "yes",
    "x-claude-code-session-id": "session-1",
    "x-claude-code-agent-id": "agent-1",
  };
  await ask("/v1/messages", MESSAGE, { "anthropic-version": "2023-06-01", ...own });
  expect(sent()).toMatchObject(own);
});

test("credentials and other headers are not sent, nor any header of clients of other styles", async () => {
  const others = {
    "anthropic-api-key": "sk-caller",
    "anthropic-admin-key": "sk-caller",
    "anthropic-auth-token": "sk-caller",
    "x-other": "1",
    cookie: "a=b",
  };
  await ask("/v1/messages", MESSAGE, { "anthropic-version": "2023-06-01", ...others });
  for (const name of Object.keys(others)) expect(sent()).not.toHaveProperty(name);
  expect(sent()["x-api-key"]).toBe("upstream-key");

  await ask("/v1/chat/completions", MESSAGE, { "anthropic-something-new": "yes" });
  expect(sent()).not.toHaveProperty("anthropic-something-new");
});

test("unknown beta features are sent for the vendor to decide", async () => {
  const headers = { "anthropic-version": "2023-06-01", "anthropic-beta": "never-heard-of-2027" };
  const { status, message } = await ask("/v1/messages", MESSAGE, headers);

  expect(sent()["anthropic-beta"]).toBe("never-heard-of-2027");
  expect([status, message]).toEqual([
    400,
    "Unexpected value(s) `never-heard-of-2027` for the `anthropic-beta` header.",
  ]);
});

test.each<[string, JsonObject, string]>([
  [
    "compaction",
    { context_management: { edits: [{ type: "compact_20260112" }] } },
    "compact-2026-01-12",
  ],
  ["fallbacks", { fallbacks: "default" }, "server-side-fallback-2026-07-01"],
  [
    "a task's budget",
    { output_config: { task_budget: { type: "tokens", total: 20_000 } } },
    "task-budgets-2026-03-13",
  ],
  [
    "an option for misplaced thinking",
    { thinking: { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } } },
    "thinking-binding-controls-2026-08-01",
  ],
  ["skills", { container: { skills: [] } }, "skills-2025-10-02"],
])("a body with %s is accepted although its client names no feature", async (_what, body, beta) => {
  const answer = await ask("/v1/messages", { ...MESSAGE, model: "claude-opus-5-5", ...body });

  expect([answer.status, answer.message]).toEqual([200, ""]);
  expect(sent()["anthropic-beta"]).toBe(beta);
});
