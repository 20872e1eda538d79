import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { parseJson, type JsonObject } from "#lib/json.ts";
import { signV4 } from "#lib/sigv4.ts";
import { listOf, memberOf, numberOf, objectOf, textOf } from "#lib/values.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";
import { random, SEED } from "#test/seed.ts";
import { withVendors } from "#test/shared.ts";
import { cut } from "../translate/chat-corpus.ts";
import { said, type Said } from "./answer.ts";
import { frame, readFrames } from "./event-stream.ts";
import { readRecorded } from "./recorded.ts";
import { json, openVendor, stream, type Respond, type Vendor } from "./vendor.ts";

const PAIR = {
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
};
const BINARY = "application/vnd.amazon.eventstream";

let respond: Respond;
let vendor: Vendor;
let gateway: TestGateway;
beforeAll(async () => {
  vendor = openVendor((seen) => respond(seen));
  gateway = await openTestGateway({
    yaml: `channels:
  - name: by-key
    provider: bedrock
    base_url: ${vendor.url}
    api_key: bedrock-api-key-of-the-operator
    options: { region: eu-central-1 }
    models: [{ name: m, upstream: "eu.anthropic.claude-sonnet-4-5-20250929-v1:0" }]
  - name: by-pair
    provider: bedrock
    base_url: ${vendor.url}
    api_key: ${PAIR.accessKeyId}:${PAIR.secretAccessKey}
    options: { region: us-west-2 }
    models: [{ name: signed, upstream: "amazon.nova-micro-v1:0" }]
  - name: by-session
    provider: bedrock
    base_url: ${vendor.url}
    api_key: ${PAIR.accessKeyId}:${PAIR.secretAccessKey}:a-session/token==
    options: { region: us-west-2 }
    models: [{ name: session, upstream: "amazon.nova-micro-v1:0" }]`,
    env: { SLUICE_LIMIT_ATTEMPTS: "1" },
  });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await vendor[Symbol.asyncDispose]();
});

const HELLO = { messages: [{ role: "user", content: "Hello." }] };

async function ask(more: object = {}, path = "/v1/chat/completions"): Promise<Response> {
  gateway.gateway.health.forgetAll();
  return gateway.post(path, { model: "m", ...HELLO, ...more });
}

const ANSWER = {
  output: { message: { role: "assistant", content: [{ text: "Hi." }] } },
  stopReason: "end_turn",
  usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 },
};

describe("a credential", () => {
  test("that is an API key is sent, and used only by egress", async () => {
    respond = () => json(ANSWER);
    const answer = await ask();

    expect((await said(answer)).text).toBe("Hi.");
    expect(vendor.last.headers.get("authorization")).toBe("Bearer bedrock-api-key-of-the-operator");
    expect(vendor.last.path).toBe("/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse");
    expect(JSON.stringify([...vendor.last.headers])).not.toContain("sluice-");
  });

  test.each([
    ["signed", undefined],
    ["session", "a-session/token=="],
  ])("that is a key pair signs exactly the sent request (%s)", async (model, sessionToken) => {
    respond = () => json(ANSWER);
    expect(
      (await said(await ask({ model, messages: [{ role: "user", content: "狐" }] }))).text,
    ).toBe("Hi.");

    const { method, path, headers, text } = vendor.last;
    const expected = signV4(
      {
        method,
        url: new URL(vendor.url + path),
        body: text,
        headers: { "content-type": headers.get("content-type") ?? "" },
      },
      { ...PAIR, ...(sessionToken === undefined ? {} : { sessionToken }) },
      { region: "us-west-2", service: "bedrock", at: instant(headers), sign: ["content-type"] },
    );
    expect(headers.get("authorization")).toBe(expected["authorization"] ?? "");
    expect(headers.get("x-amz-security-token")).toBe(sessionToken ?? null);
    expect(Math.abs(instant(headers) - Date.now())).toBeLessThan(60_000);
    expect(JSON.stringify([...headers]) + text).not.toContain(PAIR.secretAccessKey);
  });

  function instant(headers: Headers): number {
    const [, ...parts] =
      /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(headers.get("x-amz-date") ?? "") ?? [];
    const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts.map(Number);
    return Date.UTC(year, month - 1, day, hour, minute, second);
  }
});

describe("a conversation", () => {
  const WEATHER = {
    name: "weather",
    description: "Of a place.",
    input_schema: { type: "object", properties: { place: { type: "string" } } },
  };

  test("keeps its reasoning signatures over turns of a client of another style", async () => {
    respond = () =>
      stream(
        [
          frame("messageStart", { role: "assistant" }),
          frame("contentBlockDelta", {
            contentBlockIndex: 0,
            delta: { reasoningContent: { text: "Let me look." } },
          }),
          frame("contentBlockDelta", {
            contentBlockIndex: 0,
            delta: { reasoningContent: { signature: "proof==" } },
          }),
          frame("contentBlockStop", { contentBlockIndex: 0 }),
          frame("contentBlockStart", {
            contentBlockIndex: 1,
            start: { toolUse: { toolUseId: "tooluse_1", name: "weather" } },
          }),
          frame("contentBlockDelta", {
            contentBlockIndex: 1,
            delta: { toolUse: { input: '{"place":' } },
          }),
          frame("contentBlockDelta", {
            contentBlockIndex: 1,
            delta: { toolUse: { input: '"Rome"}' } },
          }),
          frame("contentBlockStop", { contentBlockIndex: 1 }),
          frame("messageStop", { stopReason: "tool_use" }),
          frame("metadata", { usage: { inputTokens: 9, outputTokens: 8, totalTokens: 17 } }),
        ],
        BINARY,
      );
    const question = { role: "user", content: "Weather in Rome?" };
    const asked = {
      model: "m",
      max_tokens: 4_000,
      thinking: { type: "enabled", budget_tokens: 2_000 },
      tools: [WEATHER],
    };
    const first = await ask({ ...asked, messages: [question], stream: true }, "/v1/messages");
    const events = (await first.text())
      .split("\n")
      .filter((line) => line.startsWith("data: "))
      .map((line) => JSON.parse(line.slice(6)));
    const starts = events
      .filter(({ type }) => type === "content_block_start")
      .map((event) => event.content_block);
    const signature = events.find((event) => event.delta?.type === "signature_delta")?.delta
      .signature;

    expect(starts.map(({ type }) => type)).toEqual(["thinking", "tool_use"]);
    // Its issuer is read by every upstream of that style, so it is not marked as anybody's.
    expect(signature).toBe("proof==");
    expect(vendor.last.body).toMatchObject({
      inferenceConfig: { maxTokens: 4_000 },
      additionalModelRequestFields: { thinking: { type: "enabled", budget_tokens: 2_000 } },
    });

    respond = () => json(ANSWER);
    const callId = starts[1].id;
    const second = await ask(
      {
        ...asked,
        messages: [
          question,
          {
            role: "assistant",
            content: [
              { type: "thinking", thinking: "Let me look.", signature },
              { type: "tool_use", id: callId, name: "weather", input: { place: "Rome" } },
            ],
          },
          {
            role: "user",
            content: [
              { type: "tool_result", tool_use_id: callId, content: "Sunny" },
              { type: "text", text: "Well?" },
            ],
          },
        ],
      },
      "/v1/messages",
    );

    expect(second.status).toBe(200);
    expect(vendor.last.body["messages"]).toEqual([
      { role: "user", content: [{ text: "Weather in Rome?" }] },
      {
        role: "assistant",
        content: [
          { reasoningContent: { reasoningText: { text: "Let me look.", signature: "proof==" } } },
          { toolUse: { toolUseId: callId, name: "weather", input: { place: "Rome" } } },
        ],
      },
      {
        role: "user",
        content: [
          { toolResult: { toolUseId: callId, content: [{ text: "Sunny" }] } },
          { text: "Well?" },
        ],
      },
    ]);
  });

  test("has images as data; an unsupported link is refused, not followed", async () => {
    respond = () => json(ANSWER);
    const image = (url: string): object => ({
      messages: [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }],
    });
    const shown = await ask(image("data:image/png;base64,iVBORw0KGgoAAAANSUhEUg=="));
    const before = vendor.seen.length;
    const linked = await ask(image(`${vendor.url}/secret.png`));

    expect(shown.status).toBe(200);
    expect(vendor.last.body["messages"]).toEqual([
      {
        role: "user",
        content: [{ image: { format: "png", source: { bytes: "iVBORw0KGgoAAAANSUhEUg==" } } }],
      },
    ]);
    expect([linked.status, await linked.json()]).toMatchObject([
      400,
      { error: { param: "messages[0]" } },
    ]);
    expect(vendor.seen.length).toBe(before);
  });

  test("continues after calls of tools that are no longer declared", async () => {
    respond = () => json(ANSWER);
    const call = { id: "call_1", type: "function", function: { name: "f", arguments: "{}" } };
    const answer = await ask({
      messages: [
        ...HELLO.messages,
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: "call_1", content: "42" },
      ],
    });

    expect([answer.status, answer.headers.get("sluice-lossy")]).toEqual([200, null]);
    expect(JSON.stringify(vendor.last.body["messages"])).toContain("toolResult");
  });

  test("that was interrupted continues, with one result after each call", async () => {
    respond = () => json(ANSWER);
    const call = (id: string): object => ({
      id,
      type: "function",
      function: { name: "f", arguments: "{}" },
    });
    const answer = await ask({
      messages: [
        ...HELLO.messages,
        { role: "assistant", content: null, tool_calls: [call("a|1"), call("b"), call("b")] },
        { role: "user", content: "Stop." },
        { role: "tool", tool_call_id: "b", content: "42" },
        { role: "tool", tool_call_id: "unknown", content: "43" },
      ],
    });

    expect(answer.status).toBe(200);
    const [, said, heard] = listOf(vendor.last.body["messages"]);
    const ids = listOf(memberOf(said, "content")).map((part) =>
      textOf(memberOf(memberOf(part, "toolUse"), "toolUseId")),
    );
    const results = listOf(memberOf(heard, "content"));
    const resultIds = results.map((part) =>
      textOf(memberOf(memberOf(part, "toolResult"), "toolUseId")),
    );
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(resultIds.slice(0, 3)).toEqual(ids);
    expect(results.slice(3)).toEqual([
      { text: "Stop." },
      { text: "The result of an earlier tool call:" },
      { text: "43" },
    ]);
    expect(JSON.stringify(results[0])).toContain("broken off");
    expect(JSON.stringify(results[1])).toContain("42");
  });

  test("has its cache marks at the client's positions", async () => {
    respond = () => json(ANSWER);
    const marked = { type: "text", text: "A long story.", cache_control: { type: "ephemeral" } };
    await ask(
      { max_tokens: 10, system: [marked], messages: [{ role: "user", content: "Sum it up." }] },
      "/v1/messages",
    );

    expect(vendor.last.body["system"]).toEqual([
      { text: "A long story." },
      { cachePoint: { type: "default" } },
    ]);
  });

  test("reports lost fields, and a strict client is refused before an upstream call", async () => {
    respond = () => json(ANSWER);
    const before = vendor.seen.length;
    const lossy = await ask({ frequency_penalty: 1, seed: 4, logprobs: true });
    const strict = await gateway.post(
      "/v1/chat/completions",
      { model: "m", ...HELLO, logprobs: true },
      { "sluice-strict": "true" },
    );

    expect(lossy.headers.get("sluice-lossy")?.split(", ").toSorted()).toEqual([
      "frequency_penalty",
      "logprobs",
      "seed",
    ]);
    expect([strict.status, await strict.json()]).toMatchObject([
      400,
      { error: { param: "logprobs" } },
    ]);
    expect(vendor.seen.length).toBe(before + 1);
  });
});

describe("content that the vendor's library would drop", () => {
  const tools = [
    {
      type: "function",
      function: { name: "weather", parameters: { type: "object", properties: {} } },
    },
  ];
  const LOOP = [
    { role: "user", content: "The weather?" },
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: "call_1", type: "function", function: { name: "weather", arguments: "{}" } },
      ],
    },
    { role: "tool", tool_call_id: "call_1", content: "Sunny." },
  ];

  const streamed = (): Response =>
    stream([
      frame("messageStart", { role: "assistant" }),
      frame("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "Hi." } }),
      frame("contentBlockStop", { contentBlockIndex: 0 }),
      frame("messageStop", { stopReason: "end_turn" }),
      frame("metadata", { usage: { inputTokens: 3, outputTokens: 2, totalTokens: 5 } }),
    ]);

  test.each([false, true])(
    "includes earlier calls in a conversation that forbids tools, and they are kept (stream: %p)",
    async (isStream) => {
      respond = () => (isStream ? streamed() : json(ANSWER));
      const answer = await ask({ messages: LOOP, tools, tool_choice: "none", stream: isStream });
      const { messages, toolConfig } = vendor.last.body;

      expect([answer.status, (await said(answer)).text]).toEqual([200, "Hi."]);
      expect(JSON.stringify(messages)).toContain("toolUse");
      expect(JSON.stringify(toolConfig)).toContain("cannot be called any more");
      expect(memberOf(toolConfig, "toolChoice")).toBeUndefined();
    },
  );

  test("is determined before the upstream call", async () => {
    respond = () => json(ANSWER);
    const before = vendor.seen.length;
    const strict = await gateway.post(
      "/v1/chat/completions",
      { model: "m", ...HELLO, frequency_penalty: 1 },
      { "sluice-strict": "true" },
    );
    gateway.gateway.health.forgetAll();
    respond = streamed;
    const told = await ask({ seed: 4, stream: true });

    expect([strict.status, await strict.json()]).toMatchObject([
      400,
      { error: { param: "frequency_penalty" } },
    ]);
    expect(told.headers.get("sluice-lossy")).toBe("seed");
    expect(vendor.seen.length).toBe(before + 1);
  });

  test("settings that the model refuses are omitted", async () => {
    respond = () => json(ANSWER);
    const answer = await ask({ temperature: 0.5, top_p: 0.5, max_tokens: 900_000 });

    expect(answer.headers.get("sluice-lossy")?.split(", ").toSorted()).toEqual([
      "max_tokens",
      "top_p",
    ]);
    expect(vendor.last.body["inferenceConfig"]).toEqual({ maxTokens: 64_000, temperature: 0.5 });
  });
});

describe("a stream that fails", () => {
  const HALF = [
    frame("messageStart", { role: "assistant" }),
    frame("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "Half an ans" } }),
  ];

  test.each([
    [
      "gets an error event of the vendor",
      frame("throttlingException", { message: "Too many tokens" }, "exception"),
    ],
    ["ends without its end", new Uint8Array()],
    ["is damaged on its way", frame("messageStop", { stopReason: "end_turn" }).toReversed()],
  ])("where it %s: the delivered part is kept, without a normal end", async (_what, rest) => {
    respond = () => stream([...HALF, rest], BINARY);
    const answer = await said(await ask({ stream: true }));

    expect(answer.text).toBe("Half an ans");
    expect(answer.error).toBeDefined();
    expect(answer.isDone).toBe(false);
  });

  test("before its first text is a plain failure", async () => {
    respond = () =>
      stream([frame("internalServerException", { message: "arn:aws:x" }, "exception")], BINARY);
    const answer = await ask({ stream: true });

    expect(answer.status).toBe(502);
    expect(await answer.text()).not.toContain("arn:aws");
  });
});

/** Recorded traffic, where there is some. */
withVendors("corpus", () => {
  const records = [...readRecorded("bedrock-converse"), ...readRecorded("bedrock-converse-stream")];
  const answers = records.filter(({ status }) => status === 200);

  describe("the client gets the vendor's message", () => {
    const whole = answers.flatMap(({ file, body }) =>
      body?.["output"] === undefined ? [] : [{ file, body }],
    );
    test.each(whole)("in a complete response: $file", async ({ body }) => {
      respond = () => json(body);

      expect(essence(await said(await ask()))).toEqual(essenceOf(body));
    });

    const streams = answers.flatMap(({ file, bytes }) =>
      bytes === undefined ? [] : [{ file, bytes }],
    );
    test.each(streams)("streamed in a binary format, with any split: $file", async ({ bytes }) => {
      const told = essenceOfStream(bytes);
      respond = () => stream(cut(bytes, random(SEED)), BINARY);
      const answer = await said(
        await ask({ stream: true, stream_options: { include_usage: true } }),
      );

      if (told.failure !== undefined) {
        expect(answer.error).toBeDefined();
        expect(answer.isDone).toBe(false);
        return;
      }
      expect(essence(answer)).toEqual(told.said);
      expect(answer.isDone).toBe(true);
    });

    test("and there are enough recordings of both kinds", () => {
      expect(whole.length).toBeGreaterThan(30);
      expect(streams.length).toBeGreaterThan(15);
    });
  });

  const failures = records.flatMap(({ file, status, body }) =>
    status === 200 ? [] : [{ file, status, body }],
  );
  test.each(failures)("a failure keeps its meaning: $file", async ({ status, body }) => {
    respond = () => json(body ?? {}, status);
    const answer = await ask();
    const text = await answer.text();

    expect(answer.status).toBe(status === 400 ? 400 : 502);
    expect(text).not.toContain("arn:aws");
  });
});

type Essence = Pick<Said, "text" | "calls" | "finish" | "input" | "output">;

function essence({ text, calls, finish, input, output }: Said): Essence {
  return { text, calls, finish, input, output };
}

const FINISHES: ReadonlyMap<string | undefined, string> = new Map([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["max_tokens", "length"],
  ["tool_use", "tool_calls"],
  ["guardrail_intervened", "content_filter"],
  ["content_filtered", "content_filter"],
]);

/** Read off the vendor's own words, by nobody's library. */
function essenceOf(body: JsonObject): Essence {
  const content = listOf(memberOf(memberOf(body["output"], "message"), "content"));
  const uses = content.map((part) => memberOf(part, "toolUse")).filter((use) => use !== undefined);
  return {
    text: content.map(textIn).join(""),
    calls: uses.map((use) => ({
      name: textOf(memberOf(use, "name")) ?? "",
      arguments: memberOf(use, "input") ?? {},
    })),
    finish: FINISHES.get(textOf(body["stopReason"])),
    ...usageOf(body["usage"]),
  };
}

function textIn(part: JsonObject[string]): string {
  const cited = listOf(memberOf(memberOf(part, "citationsContent"), "content"));
  return (
    textOf(memberOf(part, "text")) ??
    cited.map((one) => textOf(memberOf(one, "text")) ?? "").join("")
  );
}

function essenceOfStream(bytes: Uint8Array): { said: Essence; failure: string | undefined } {
  const calls = new Map<number, { name: string; text: string }>();
  let text = "";
  let finish: string | undefined;
  let usage: Pick<Essence, "input" | "output"> = { input: undefined, output: undefined };
  let failure: string | undefined;
  for (const { type, payload } of readFrames(bytes)) {
    const index = numberOf(payload["contentBlockIndex"]) ?? 0;
    const use = objectOf(memberOf(payload["start"], "toolUse"));
    if (use !== undefined) calls.set(index, { name: textOf(use["name"]) ?? "", text: "" });
    text += textOf(memberOf(payload["delta"], "text")) ?? "";
    const call = calls.get(index);
    if (call !== undefined) {
      call.text += textOf(memberOf(memberOf(payload["delta"], "toolUse"), "input")) ?? "";
    }
    if (type === "messageStop") finish = FINISHES.get(textOf(payload["stopReason"]));
    if (type === "metadata") usage = usageOf(payload["usage"]);
    if (type.endsWith("Exception")) failure = type;
  }
  const made = [...calls.values()].map((call) => ({
    name: call.name,
    arguments: parseJson(call.text) ?? {},
  }));
  return { said: { text, calls: made, finish, ...usage }, failure };
}

/** The prompt's size with what was read from and written to a cache. */
function usageOf(usage: JsonObject[string]): Pick<Essence, "input" | "output"> {
  const count = (name: string): number => numberOf(memberOf(usage, name)) ?? 0;
  return {
    input: count("inputTokens") + count("cacheReadInputTokens") + count("cacheWriteInputTokens"),
    output: count("outputTokens"),
  };
}
