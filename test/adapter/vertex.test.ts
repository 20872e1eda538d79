import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createVerify, generateKeyPairSync } from "node:crypto";
import { isObject, parseJson, type JsonObject } from "#lib/json.ts";
import { openBooks } from "#test/books.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";
import { withVendors } from "#test/shared.ts";
import { said } from "./answer.ts";
import { readRecorded } from "./recorded.ts";
import { json, openVendor, stream, type Respond, type Seen, type Vendor } from "./vendor.ts";

const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
const KEY = privateKey.export({ type: "pkcs8", format: "pem" }).toString();

let respond: Respond;
let trade: Respond;
let vendor: Vendor;
let gateway: TestGateway;
let account: string;
beforeAll(async () => {
  vendor = openVendor((seen) => (seen.path === "/token" ? trade(seen) : respond(seen)));
  account = JSON.stringify({
    type: "service_account",
    client_email: "sluice@project.iam.gserviceaccount.com",
    private_key_id: "key-1",
    private_key: KEY,
    token_uri: `${vendor.url}/token`,
  });
  const channel = (name: string, secret: string, options: string, models: string): string =>
    `  - { name: ${name}, provider: vertex, base_url: "${vendor.url}", api_key: ${JSON.stringify(secret)}, options: ${options}, models: ${models} }`;
  const project = "{ project: my-project, location: europe-west4 }";
  gateway = await openTestGateway({
    yaml: [
      "channels:",
      channel("express", "AIzaTheKeyOfTheOperator", "{}", "[gemini-2.5-flash]"),
      channel(
        "account",
        account,
        project,
        '[{ name: traded, upstream: gemini-2.5-pro }, { name: claude, upstream: "claude-sonnet-4-5@20250929" }, { name: llama, upstream: meta/llama-4-maverick }]',
      ),
      channel(
        "token",
        "ya29.the-token-of-the-operator",
        project,
        "[{ name: t, upstream: gemini-2.5-pro }]",
      ),
      channel("broken", "{ no json", project, "[{ name: broken, upstream: gemini-2.5-pro }]"),
      channel(
        "keyless",
        JSON.stringify({
          client_email: "a@b.c",
          private_key: "-----BEGIN nonsense",
          token_uri: `${vendor.url}/token`,
        }),
        project,
        "[{ name: keyless, upstream: gemini-2.5-pro }]",
      ),
    ].join("\n"),
    env: { SLUICE_LIMIT_ATTEMPTS: "1" },
  });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await vendor[Symbol.asyncDispose]();
});

const NATIVE = {
  candidates: [{ content: { role: "model", parts: [{ text: "Hi." }] }, finishReason: "STOP" }],
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
};
const MESSAGE = {
  id: "msg_vrtx_1",
  type: "message",
  role: "assistant",
  model: "claude-sonnet-4-5",
  content: [{ type: "text", text: "Hi." }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 2 },
};

function ask(model: string, more: object = {}): Promise<Response> {
  gateway.gateway.health.forgetAll();
  return gateway.post("/v1/chat/completions", {
    model,
    messages: [{ role: "user", content: "Hello." }],
    ...more,
  });
}

describe("a model's style and address", () => {
  test("are the vendor's native ones, without a project if the key alone identifies it", async () => {
    respond = () => json(NATIVE);
    const answer = await said(await ask("gemini-2.5-flash"));

    expect(answer).toMatchObject({ text: "Hi.", finish: "stop", input: 3, output: 2 });
    expect(vendor.last.path).toBe("/v1/publishers/google/models/gemini-2.5-flash:generateContent");
    expect(vendor.last.headers.get("x-goog-api-key")).toBe("AIzaTheKeyOfTheOperator");
    expect(vendor.last.headers.get("authorization")).toBeNull();
  });

  test("include its project and region otherwise, and streams have a separate address", async () => {
    respond = () => stream([`data: ${JSON.stringify(NATIVE)}\n\n`]);
    const answer = await said(await ask("t", { stream: true }));

    expect(answer).toMatchObject({ text: "Hi.", isDone: true });
    expect(vendor.last.path).toBe(
      "/v1/projects/my-project/locations/europe-west4/publishers/google/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
    );
    expect(vendor.last.headers.get("authorization")).toBe("Bearer ya29.the-token-of-the-operator");
  });

  test.each([
    ["translated", "/v1/chat/completions"],
    ["passed on", "/v1/messages"],
  ])("are another maker's for that maker's models (%s)", async (_how, path) => {
    trade = () => json({ access_token: "ya29.traded", expires_in: 3_600 });
    respond = () => json(MESSAGE);
    const body = {
      model: "claude",
      max_tokens: 10,
      messages: [{ role: "user", content: "Hello." }],
    };
    const answer = await gateway.post(path, body);

    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("Hi.")]);
    expect(vendor.last.path).toBe(
      "/v1/projects/my-project/locations/europe-west4/publishers/anthropic/models/claude-sonnet-4-5@20250929:rawPredict",
    );
    expect(vendor.last.body).toMatchObject({
      anthropic_version: "vertex-2023-10-16",
      max_tokens: 10,
    });
    expect(vendor.last.body).not.toHaveProperty("model");
  });

  test("are the common style for models of all others", async () => {
    respond = () =>
      json({
        id: "1",
        object: "chat.completion",
        created: 1,
        model: "x",
        choices: [
          { index: 0, message: { role: "assistant", content: "Hi." }, finish_reason: "stop" },
        ],
        usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
      });
    const answer = await said(await ask("llama"));

    expect(answer.text).toBe("Hi.");
    expect(vendor.last.path).toBe(
      "/v1/projects/my-project/locations/europe-west4/endpoints/openapi/chat/completions",
    );
    expect(vendor.last.body["model"]).toBe("meta/llama-4-maverick");
  });
});

describe("a service account", () => {
  test("signs a request for a token, which serves all calls from then on", async () => {
    await using fresh = await openTestGateway({ yaml: accountYaml() });
    const trades: Seen[] = [];
    trade = (seen) => {
      trades.push(seen);
      return json({ access_token: "ya29.for-all", expires_in: 3_600, token_type: "Bearer" });
    };
    respond = () => json(NATIVE);
    const calls = Array.from({ length: 8 }, () => askFresh(fresh));
    for (const answer of await Promise.all(calls)) expect(answer.status).toBe(200);
    expect((await askFresh(fresh)).status).toBe(200);

    expect(trades.length).toBe(1);
    expect(vendor.last.headers.get("authorization")).toBe("Bearer ya29.for-all");
    const form = new URLSearchParams(trades[0]?.text);
    expect(form.get("grant_type")).toBe("urn:ietf:params:oauth:grant-type:jwt-bearer");
    const assertion = form.get("assertion") ?? "";
    expect(isSigned(assertion)).toBe(true);
    expect(partOf(assertion, 0)).toEqual({ alg: "RS256", typ: "JWT", kid: "key-1" });
    const claims = partOf(assertion, 1);
    expect(claims).toMatchObject({
      iss: "sluice@project.iam.gserviceaccount.com",
      aud: `${vendor.url}/token`,
      scope: "https://www.googleapis.com/auth/cloud-platform",
    });
    expect(Number(claims["exp"]) - Number(claims["iat"])).toBe(3_600);
    expect(Math.abs(Number(claims["iat"]) - Date.now() / 1_000)).toBeLessThan(60);
  });

  test("whose token is refused gets another one with the next call", async () => {
    await using fresh = await openTestGateway({ yaml: accountYaml() });
    let traded = 0;
    trade = () => json({ access_token: `ya29.number-${++traded}`, expires_in: 3_600 });
    respond = (seen) =>
      seen.headers.get("authorization") === "Bearer ya29.number-1"
        ? json({ error: { code: 401, message: "Expired.", status: "UNAUTHENTICATED" } }, 401)
        : json(NATIVE);

    expect((await askFresh(fresh)).status).toBe(502);
    fresh.gateway.health.forgetAll();
    expect((await askFresh(fresh)).status).toBe(200);
    expect(traded).toBe(2);
  });

  test.each([
    ["is refused", () => json({ error: "invalid_grant" }, 400), 502],
    ["gets an answer without a token", () => json({ id_token: "x" }), 502],
    ["gets no answer but a failure", () => new Response("no", { status: 503 }), 502],
    ["has to wait", () => json({}, 429), 429],
  ])("that %s fails the call, without details in the error", async (_what, answered, status) => {
    await using fresh = await openTestGateway({ yaml: accountYaml() });
    using books = openBooks(fresh.dataDir);
    trade = answered;
    const before = vendor.seen.length;
    const answer = await askFresh(fresh);
    const text = await answer.text();

    expect(answer.status).toBe(status);
    expect(text).not.toMatch(/invalid_grant|PRIVATE|gserviceaccount|127\.0\.0/);
    expect(vendor.seen.slice(before).map(({ path }) => path)).toEqual(["/token"]);
    expect(await books.whenSettled()).toEqual([]);
    expect(books.dump()).not.toContain("PRIVATE KEY");
  });

  test.each(["broken", "keyless"])(
    "that is malformed is the operator's error, and sent nowhere (%s)",
    async (model) => {
      const before = vendor.seen.length;
      const answer = await ask(model);

      expect(answer.status).toBe(502);
      expect(await answer.text()).not.toMatch(/BEGIN|no json/);
      expect(vendor.seen.length).toBe(before);
    },
  );

  function accountYaml(): string {
    return `channels: [{ name: a, provider: vertex, base_url: "${vendor.url}", api_key: ${JSON.stringify(account)}, options: { project: p }, models: [gemini-2.5-pro] }]`;
  }

  function askFresh(fresh: TestGateway): Promise<Response> {
    return fresh.post("/v1/chat/completions", {
      model: "gemini-2.5-pro",
      messages: [{ role: "user", content: "Hello." }],
    });
  }

  function isSigned(assertion: string): boolean {
    const [head = "", claims = "", signature = ""] = assertion.split(".");
    const verify = createVerify("RSA-SHA256").update(`${head}.${claims}`);
    return verify.verify(publicKey, Buffer.from(signature, "base64url"));
  }

  function partOf(assertion: string, index: number): JsonObject {
    const part = parseJson(Buffer.from(assertion.split(".")[index] ?? "", "base64url").toString());
    return isObject(part) ? part : {};
  }
});

withVendors("corpus", () => {
  const answers = ["vertex-raw-predict", "vertex-stream-raw-predict"]
    .flatMap(readRecorded)
    .filter(({ status }) => status === 200);

  test.each(answers)(
    "a response of another maker's model is passed on: $file",
    async ({ body, sse }) => {
      trade = () => json({ access_token: "ya29.traded", expires_in: 3_600 });
      respond = () => (sse === undefined ? json(body) : stream([sse]));
      const asked = {
        model: "claude",
        max_tokens: 10,
        messages: [{ role: "user", content: "Hello." }],
      };
      const answer = await gateway.post("/v1/messages", {
        ...asked,
        ...(sse === undefined ? {} : { stream: true }),
      });

      expect(await answer.text()).toBe(sse ?? JSON.stringify(body));
      expect(vendor.last.path).toEndWith(sse === undefined ? ":rawPredict" : ":streamRawPredict");
      expect(vendor.last.body["stream"]).toBe(sse === undefined ? undefined : true);
    },
  );
});
