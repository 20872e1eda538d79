import { expect, test } from "bun:test";
import { openLog } from "#lib/log.ts";
import { openTestGateway, simulatedChannel } from "#test/harness.ts";
import { openOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from "#test/otlp-receiver.ts";
import { openSocket } from "#test/open-responses/socket.ts";
import { startSandbox } from "@sluice/sandbox/server.ts";

const CANARY = "kanarienvogel";
const CLIENT_TRACE = "0af7651916cd43dd8448eb211c80319c";
const CLIENT_SPAN = "b7ad6b7169203331";
/** It loads the packages. */
const FIRST_TEST_MS = 30_000;
const SERVER = 2;
const CLIENT = 3;

interface Scene {
  readonly env?: Readonly<Record<string, string>>;
  readonly status?: number;
  /** Calls that are made: members of the body besides the messages, headers, and the text. */
  readonly calls: readonly {
    readonly path?: string;
    readonly body: Readonly<Record<string, unknown>>;
    readonly headers?: Readonly<Record<string, string>>;
    readonly text?: string;
  }[];
  /** Headers of a WebSocket, over which one more call is made. */
  readonly socket?: Readonly<Record<string, string>>;
}

/** Makes calls over two channels, of which the first fails, and ends the gateway. */
async function received({ env, status, calls, socket }: Scene) {
  const receiver = openOtlpReceiver(status);
  await using sandbox = {
    server: await startSandbox(),
    [Symbol.asyncDispose]: () => sandbox.server.stop(),
  };
  const failing = openFailingVendor();
  await using _failing = failing;
  const lines: Record<string, unknown>[] = [];
  const log = openLog("info", {
    write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>),
  });
  const ids: (string | null)[] = [];
  const startedAt = performance.now();
  {
    await using gateway = await openTestGateway({
      yaml: `channels:
${simulatedChannel("good", sandbox.server.url, "priority: 2")}
  - { name: bad, provider: mistral, base_url: "${failing.url}", api_key: sk-bad-channel, models: [gpt-4o], priority: 1 }
`,
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20collector-token",
        ...env,
      },
      log,
    });
    for (const { path = "/v1/chat/completions", body, headers, text = CANARY } of calls) {
      const messages = [{ role: "user", content: text }];
      const response = await gateway.post(path, { messages, ...body }, headers);
      await response.text();
      ids.push(response.headers.get("x-request-id"));
    }
    if (socket !== undefined) {
      await using opened = await openSocket(gateway.url, socket);
      await opened.create({ model: "gpt-4o", input: CANARY });
    }
    log.warn({ channel: "good" }, "a line of the log");
  }
  await receiver[Symbol.asyncDispose]();
  return { receiver, ids, lines, seen: failing.seen, closedAfterMs: performance.now() - startedAt };
}

/** It fails each call, and keeps the headers that it saw. */
function openFailingVendor() {
  const seen: Headers[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      seen.push(request.headers);
      return Response.json({ message: CANARY }, { status: 500 });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/v1`,
    seen,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

function traceOf({ spans }: OtlpReceiver, id: string | null) {
  const call = spans.find(({ attributes }) => attributes["sluice.request_id"] === id);
  if (call === undefined) throw new Error(`No trace of ${id} was received.`);
  const attempts = spans.filter(({ parentSpanId }) => parentSpanId === call.spanId);
  return { call, attempts: attempts.toSorted((a, b) => a.startMs - b.startMs) };
}

/** The attributes that the conventions require of each inference span. */
function expectRequired({ attributes, kind }: ReceivedSpan): void {
  expect(kind).toBe(CLIENT);
  expect(attributes["gen_ai.operation.name"]).toBe("chat");
  expect(attributes["gen_ai.provider.name"]).toBeString();
  expect(attributes["gen_ai.request.model"]).toBe("gpt-4o");
}

test(
  "each call is one trace, with each attempt as a span of the conventions below it",
  async () => {
    const { receiver, ids } = await received({
      calls: [
        { body: { model: "gpt-4o" } },
        { body: { model: "gpt-4o", stream: true } },
        { body: { model: CANARY } },
      ],
    });

    const [whole, streamed, refused] = ids.map((id) => traceOf(receiver, id));
    for (const trace of [whole, streamed]) {
      const { call, attempts } = trace ?? { attempts: [] };
      expect(call).toMatchObject({ kind: SERVER, name: "call chat", isError: false });
      expect(call?.attributes).toMatchObject({
        "sluice.style": "chat",
        "sluice.endpoint": "text",
        "sluice.channel": "good",
        "http.response.status_code": 200,
      });
      expect(attempts.map(({ attributes }) => attributes["sluice.channel"])).toEqual([
        "bad",
        "good",
      ]);
      attempts.forEach(expectRequired);
      const [failed, answered] = attempts;
      expect(failed).toMatchObject({ name: "chat gpt-4o", isError: true });
      expect(failed?.attributes).toMatchObject({
        "gen_ai.provider.name": "mistral_ai",
        "error.type": "upstream_failed",
        "http.response.status_code": 500,
      });
      expect(failed?.attributes["gen_ai.usage.input_tokens"]).toBeUndefined();
      expect(answered).toMatchObject({ name: "chat gpt-4o", isError: false });
      expect(answered?.attributes["gen_ai.provider.name"]).toBe("openai");
      expect(answered?.attributes["gen_ai.usage.input_tokens"]).toBeGreaterThan(0);
      expect(answered?.attributes["gen_ai.usage.output_tokens"]).toBeGreaterThan(0);
      for (const each of attempts) {
        expect(each.traceId).toBe(call?.traceId ?? "");
        expect(each.startMs).toBeGreaterThanOrEqual(call?.startMs ?? Infinity);
        expect(each.endMs).toBeLessThanOrEqual(call?.endMs ?? 0);
      }
    }
    expect(streamed?.attempts[1]?.attributes).toMatchObject({
      "gen_ai.request.stream": true,
      "gen_ai.response.time_to_first_chunk": expect.any(Number),
    });
    expect(refused?.call).toMatchObject({ isError: true });
    expect(refused?.call.attributes["error.type"]).toBe("model_not_found");
    expect(refused?.attempts).toEqual([]);
    expect(new Set([whole, streamed, refused].map((each) => each?.call.traceId)).size).toBe(3);
    expect(receiver.spans).toHaveLength(3 + 4);
  },
  FIRST_TEST_MS,
);

test("an attempt has the settings of its request in any style, its session and its server", async () => {
  const sampling = { temperature: 0.5, top_p: 0.9 };
  const asked = {
    "gen_ai.request.temperature": 0.5,
    "gen_ai.request.top_p": 0.9,
    "gen_ai.request.max_tokens": 64,
    "gen_ai.conversation.id": "session-1",
    "gen_ai.response.model": "gpt-4o",
    "server.address": "127.0.0.1",
    "server.port": expect.any(Number),
  };
  const headers = { session_id: "session-1" };
  const model = "gpt-4o";
  const contents = [{ role: "user", parts: [{ text: CANARY }] }];
  const generationConfig = {
    temperature: 0.5,
    topP: 0.9,
    maxOutputTokens: 64,
    responseMimeType: "application/json",
  };
  const { receiver, ids } = await received({
    calls: [
      {
        headers,
        body: {
          model,
          ...sampling,
          max_tokens: 64,
          seed: 7,
          frequency_penalty: 0.1,
          presence_penalty: 0.2,
          response_format: { type: "json_object" },
        },
      },
      {
        headers,
        path: "/v1/responses",
        body: {
          model,
          ...sampling,
          max_output_tokens: 64,
          messages: undefined,
          input: CANARY,
          reasoning: { effort: "low" },
        },
      },
      { headers, path: "/v1/messages", body: { model, ...sampling, max_tokens: 64, top_k: 40 } },
      {
        headers,
        path: `/v1beta/models/${model}:generateContent`,
        body: { messages: undefined, contents, generationConfig },
      },
    ],
  });

  const more = [
    {
      "gen_ai.request.seed": 7,
      "gen_ai.request.frequency_penalty": 0.1,
      "gen_ai.request.presence_penalty": 0.2,
      "gen_ai.output.type": "json",
    },
    { "gen_ai.request.reasoning.level": "low" },
    { "gen_ai.request.top_k": 40 },
    { "gen_ai.output.type": "json" },
  ];
  for (const [index, id] of ids.entries()) {
    const answered = traceOf(receiver, id).attempts.at(-1);
    expect(answered?.attributes).toMatchObject({ ...asked, ...more[index] });
  }
});

test("the schema of the conventions and the gateway's resource are named", async () => {
  const { receiver } = await received({
    env: { OTEL_SERVICE_NAME: "llm", OTEL_RESOURCE_ATTRIBUTES: "region=eu,team=a%20b" },
    calls: [{ body: { model: "gpt-4o" } }],
  });

  expect([...receiver.schemaUrls]).toContain("https://opentelemetry.io/schemas/gen-ai/0.1.0");
  for (const resource of receiver.resources) {
    expect(resource).toMatchObject({ "service.name": "llm", region: "eu", team: "a b" });
    expect(resource["service.version"]).toBeString();
    expect(resource["service.instance.id"]).toBeString();
  }
  expect(new Set(receiver.resources.map((each) => each["service.instance.id"])).size).toBe(1);
  for (const headers of receiver.headers) {
    expect(headers.get("authorization")).toBe("Bearer collector-token");
    expect(headers.get("content-type")).toBe("application/x-protobuf");
  }
});

test("metrics have the names, units, buckets and required attributes of the conventions", async () => {
  const { receiver } = await received({
    calls: [
      { body: { model: "gpt-4o", stream: true } },
      {
        path: "/v1/embeddings",
        body: { model: "text-embedding-3-small", messages: undefined, input: "some text" },
      },
    ],
  });

  const named = (name: string) => receiver.metrics.find((metric) => metric.name === name);
  const required = { "gen_ai.operation.name": "chat", "gen_ai.provider.name": "openai" };
  for (const name of ["duration", "time_to_first_chunk", "time_per_output_chunk"]) {
    const metric = named(`gen_ai.client.inference.${name}`);
    expect(metric).toMatchObject({ unit: "s", type: "histogram" });
    expect(metric?.points).toHaveLength(1);
    expect(metric?.points[0]).toMatchObject({ attributes: required });
    const count = metric?.points[0]?.count ?? 0;
    if (name === "time_per_output_chunk") expect(count).toBeGreaterThan(1);
    else expect(count).toBe(1);
    expect(metric?.points[0]?.bounds?.[0]).toBe(0.01);
    expect(metric?.points[0]?.bounds?.at(-1)).toBe(81.92);
  }
  for (const direction of ["input", "output"]) {
    const counter = named(`gen_ai.client.inference.usage.${direction}_tokens`);
    expect(counter).toMatchObject({ unit: "{token}", type: "sum" });
    expect(counter?.points[0]?.attributes).toMatchObject({
      ...required,
      "gen_ai.request.model": "gpt-4o",
      "gen_ai.token.modality": "text",
    });
    expect(counter?.points[0]?.value).toBeGreaterThan(0);
    const histogram = named(`gen_ai.client.inference.operation.${direction}_tokens`);
    expect(histogram?.points[0]?.bounds?.at(-1)).toBe(67_108_864);
  }
  expect(named("gen_ai.client.operation.duration")?.points[0]?.attributes).toMatchObject({
    "gen_ai.operation.name": "embeddings",
    "gen_ai.request.model": "text-embedding-3-small",
  });
  expect(receiver.metrics.some(({ name }) => name.startsWith("gen_ai.client.token"))).toBe(false);
});

test("lines of the log are sent with their severity and fields", async () => {
  const { receiver } = await received({ calls: [] });

  expect(receiver.logs).toContainEqual({
    severity: "WARN",
    body: "a line of the log",
    attributes: { channel: "good" },
  });
});

test("no text of a request, an answer or a credential is sent", async () => {
  const { receiver } = await received({
    calls: [
      { body: { model: "gpt-4o" } },
      { body: { model: "gpt-4o", stream: true, user: CANARY } },
      { body: { model: "gpt-4o", stop: [CANARY], reasoning_effort: CANARY } },
      { body: { model: CANARY } },
      { body: { model: "gpt-4o", temperature: CANARY } },
    ],
  });

  const all = receiver.raw.join("\n");
  expect(receiver.raw.length).toBeGreaterThanOrEqual(3);
  for (const secret of [CANARY, "sk-upstream-secret", "sk-bad-channel", "collector-token"]) {
    expect(all).not.toContain(secret);
  }
});

const SECRET = "zaunkoenig@example.com";

/** The same call in every format, whole and streamed. */
const FORMATS = [false, true].flatMap((stream) => {
  const model = "gpt-4o";
  const text = `${CANARY} ${SECRET}`;
  const messages = [{ role: "user", content: text }];
  const contents = [{ role: "user", parts: [{ text }] }];
  const verb = stream ? "streamGenerateContent" : "generateContent";
  return [
    { body: { model, stream, messages } },
    { path: "/v1/completions", body: { model, stream, messages: undefined, prompt: text } },
    { path: "/v1/responses", body: { model, stream, messages: undefined, input: text } },
    { path: "/v1/messages", body: { model, stream, messages, max_tokens: 64 } },
    { path: `/v1beta/models/${model}:${verb}`, body: { messages: undefined, contents } },
    { path: `/v1beta/models/${model}:${verb}?alt=sse`, body: { messages: undefined, contents } },
  ];
});

test("the answered attempt of a text call has the id and the reasons of its answer", async () => {
  const { receiver, ids } = await received({ calls: FORMATS });

  for (const id of ids) {
    const answered = traceOf(receiver, id).attempts.at(-1);
    expect(answered?.attributes["gen_ai.response.id"]).toBeString();
    expect(answered?.attributes["gen_ai.response.finish_reasons"]).toEqual(["stop"]);
  }
});

test("if both switches are on, an attempt has the redacted messages of its call", async () => {
  const { receiver, ids } = await received({
    env: { SLUICE_OTEL_CONTENT: "on", SLUICE_CONTENT_LOG: "all" },
    calls: FORMATS,
  });

  const asked = [{ role: "user", parts: [{ type: "text", content: `${CANARY} [email]` }] }];
  for (const id of ids) {
    const attempts = traceOf(receiver, id).attempts;
    const answered = attempts.at(-1);
    const messages = (name: string) =>
      JSON.parse(String(answered?.attributes[`gen_ai.${name}.messages`])) as unknown;
    expect(messages("input")).toEqual(asked);
    const said = { type: "text", content: expect.stringMatching(/./) };
    expect(messages("output")).toEqual([
      expect.objectContaining({ role: "assistant", parts: [said] }),
    ]);
    expect(answered?.attributes["gen_ai.response.finish_reasons"]).toEqual(["stop"]);
  }
  const failed = receiver.spans.filter(({ attributes }) => attributes["sluice.channel"] === "bad");
  expect(failed.length).toBeGreaterThan(0);
  for (const { attributes } of failed)
    expect(attributes).not.toHaveProperty(["gen_ai.input.messages"]);
  expect(receiver.raw.join("")).not.toContain(SECRET);
});

test("content is not sent if one switch is off, or of calls that the content log leaves out", async () => {
  const settings = [
    { SLUICE_OTEL_CONTENT: "on" },
    { SLUICE_CONTENT_LOG: "all" },
    { SLUICE_OTEL_CONTENT: "on", SLUICE_CONTENT_LOG: "errors" },
  ];
  for (const env of settings) {
    const { receiver, ids } = await received({ env, calls: FORMATS.slice(0, 2) });
    expect(ids.map((id) => traceOf(receiver, id).attempts.length)).toEqual([2, 2]);
    expect(receiver.raw.join("")).not.toContain(CANARY);
  }
});

const TRACED = { traceparent: `00-${CLIENT_TRACE}-${CLIENT_SPAN}-01` };

test("the trace of a client continues, and upstreams do not receive it", async () => {
  const { receiver, ids, seen } = await received({
    calls: [{ body: { model: "gpt-4o" }, headers: TRACED }],
  });

  const { call, attempts } = traceOf(receiver, ids[0] ?? null);
  expect(call).toMatchObject({ traceId: CLIENT_TRACE, parentSpanId: CLIENT_SPAN });
  expect(attempts.map(({ traceId }) => traceId)).toEqual([CLIENT_TRACE, CLIENT_TRACE]);
  expect(seen.map((headers) => headers.get("traceparent"))).toEqual([null]);
});

test("calls over a WebSocket belong to the trace of the client that opened it", async () => {
  const { receiver } = await received({ calls: [], socket: TRACED });

  const call = receiver.spans.find(({ kind }) => kind === SERVER);
  expect(call).toMatchObject({ traceId: CLIENT_TRACE, parentSpanId: CLIENT_SPAN });
  expect(new Set(receiver.spans.map(({ traceId }) => traceId))).toEqual(new Set([CLIENT_TRACE]));
});

test("if a setting allows it, an upstream gets the trace with the span of its attempt", async () => {
  const { receiver, ids, seen } = await received({
    env: { SLUICE_OTEL_PROPAGATE: "on" },
    calls: [
      { body: { model: "gpt-4o" }, headers: TRACED },
      { body: { model: "gpt-4o" }, headers: { traceparent: "not a trace" } },
    ],
  });

  const sent = seen.map((headers) => headers.get("traceparent"));
  for (const [index, id] of ids.entries()) {
    const [failed] = traceOf(receiver, id).attempts;
    expect(sent[index]).toBe(`00-${failed?.traceId}-${failed?.spanId}-01`);
  }
  expect(sent[0]).toContain(CLIENT_TRACE);
});

test("a client's decision is kept, and the others are sampled by the ratio", async () => {
  const unsampled = { traceparent: `00-${CLIENT_TRACE}-${CLIENT_SPAN}-00` };
  const { receiver } = await received({
    env: { OTEL_TRACES_SAMPLER_ARG: "0" },
    calls: [
      { body: { model: "gpt-4o" } },
      { body: { model: "gpt-4o" }, headers: unsampled },
      { body: { model: "gpt-4o" }, headers: TRACED },
    ],
  });

  expect(receiver.spans).toHaveLength(3);
  expect(new Set(receiver.spans.map(({ traceId }) => traceId))).toEqual(new Set([CLIENT_TRACE]));
  expect(receiver.metrics.length).toBeGreaterThan(0);
});

test("only the chosen signals are sent, and none if it is disabled", async () => {
  const calls = [{ body: { model: "gpt-4o" } }];
  const some = await received({ env: { SLUICE_OTEL_SIGNALS: "traces" }, calls });
  const none = await received({ env: { OTEL_SDK_DISABLED: "true" }, calls });

  expect(some.receiver.spans.length).toBeGreaterThan(0);
  expect([...some.receiver.metrics, ...some.receiver.logs]).toEqual([]);
  expect(none.receiver.raw).toEqual([]);
});

test("a collector that refuses everything is logged, and delays neither calls nor the shutdown", async () => {
  const { ids, lines, closedAfterMs } = await received({
    status: 400,
    calls: Array.from({ length: 5 }, () => ({ body: { model: "gpt-4o" } })),
  });

  expect(ids).toHaveLength(5);
  const failures = lines.filter(({ msg }) => msg === "telemetry export failed");
  expect(new Set(failures.map(({ signal }) => signal))).toEqual(
    new Set(["traces", "metrics", "logs"]),
  );
  expect(failures.length).toBeLessThanOrEqual(6);
  expect(closedAfterMs).toBeLessThan(30_000);
});
