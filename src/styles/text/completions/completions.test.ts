import { describe, expect, test } from "bun:test";
import type { ChatEvent, ChatRequest } from "#core/chat.ts";
import { GatewayError } from "#core/error.ts";
import { LossReport } from "#core/lossy.ts";
import { NO_USAGE } from "#core/usage.ts";
import { isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { readEvents } from "#lib/sse.ts";
import { listOf, textOf } from "#lib/values.ts";
import { chat } from "#styles/text/chat/index.ts";
import { encodeStream } from "#test/translate/streams.ts";
import { completions } from "./index.ts";

function read(fields: JsonObject): ChatRequest {
  const body = { model: "m", prompt: "Once", ...fields };
  return completions.inbound.parseRequest(body, completions.inbound.readRequest(body, {}));
}

/** As an upstream is asked. */
function asked(fields: JsonObject): [JsonObject, readonly string[]] {
  const report = new LossReport();
  return [chat.outbound.buildRequest(read(fields), { report, model: {} }), report.fields];
}

function refusal(body: Json): [string, string | undefined] | undefined {
  const json = parseJson(JSON.stringify(body));
  try {
    completions.inbound.readRequest(isObject(json) ? json : {}, {});
    return undefined;
  } catch (error) {
    return error instanceof GatewayError ? [error.code, error.param] : ["thrown", String(error)];
  }
}

const USAGE = { ...NO_USAGE, inputTokens: 3, outputTokens: 2 };
const LOGPROB = {
  token: " upon",
  logprob: -0.5,
  bytes: null,
  top_logprobs: [
    { token: " upon", logprob: -0.5, bytes: null },
    { token: " more", logprob: -1, bytes: null },
  ],
};

const ANSWER: readonly ChatEvent[] = [
  { type: "start", id: "a".repeat(24), model: "m-1", createdAt: 7_000 },
  { type: "open", choice: 0, block: { type: "reasoning" } },
  { type: "delta", choice: 0, text: "hmm" },
  { type: "close", choice: 0 },
  { type: "open", choice: 0, block: { type: "text" } },
  { type: "delta", choice: 0, text: " upon", logprobs: [LOGPROB] },
  { type: "delta", choice: 0, text: " a" },
  { type: "close", choice: 0 },
  { type: "open", choice: 1, block: { type: "refusal" } },
  { type: "delta", choice: 1, text: "no" },
  { type: "close", choice: 1 },
  { type: "finish", choice: 0, reason: "length" },
  { type: "finish", choice: 1, reason: "stop" },
  { type: "usage", usage: USAGE },
];

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

async function streamed(fields: JsonObject, events = ANSWER): Promise<readonly JsonObject[]> {
  const pieces = await Array.fromAsync(encodeStream(completions, each(events), read(fields)));
  const frames = readEvents(pieces.join(""));
  expect(frames.at(-1)?.data).toBe("[DONE]");
  return frames.slice(0, -1).map(({ data }) => JSON.parse(data) as JsonObject);
}

function choicesIn(chunks: readonly JsonObject[]): readonly JsonObject[] {
  return chunks.flatMap((chunk) => listOf(chunk["choices"]).filter(isObject));
}

const DETAILED_USAGE = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };

describe("a prompt is a user message", () => {
  test.each<[string, JsonObject]>([
    ["a text", { prompt: "Once" }],
    ["a list of one text", { prompt: ["Once"] }],
  ])("%s", (_what, fields) => {
    expect(asked(fields)[0]).toEqual({ model: "m", messages: [{ role: "user", content: "Once" }] });
  });

  test("all fields shared with chat completions are kept", () => {
    expect(
      asked({
        max_tokens: 5,
        temperature: 0.5,
        top_p: 0.9,
        presence_penalty: 1,
        frequency_penalty: -1,
        seed: 3,
        stop: "end",
        n: 2,
        logprobs: 2,
        user: "u",
        stream: true,
      }),
    ).toEqual([
      {
        model: "m",
        messages: [{ role: "user", content: "Once" }],
        stream: true,
        stream_options: { include_usage: true },
        max_tokens: 5,
        temperature: 0.5,
        top_p: 0.9,
        presence_penalty: 1,
        frequency_penalty: -1,
        seed: 3,
        stop: ["end"],
        n: 2,
        logprobs: true,
        top_logprobs: 2,
        user: "u",
      },
      [],
    ]);
  });

  test("fields that chat completions lack are reported", () => {
    expect(asked({ best_of: 3, logit_bias: { "5": 1 } })[1]).toEqual(["best_of", "logit_bias"]);
    expect(asked({ best_of: 1 })[1]).toEqual([]);
  });

  test("the relay gets the facts of a request", () => {
    const body = { model: "m", prompt: "a", max_tokens: 9, n: 2, stream: true };

    expect(completions.inbound.readRequest(body, {})).toEqual({
      model: "m",
      stream: true,
      maxOutputTokens: 9,
      choices: 2,
      messages: 1,
      wantsUsage: false,
    });
  });
});

describe("a field whose loss would change the result is refused", () => {
  test.each<[string, JsonObject, string]>([
    ["several prompts", { prompt: ["a", "b"] }, "prompt"],
    ["tokens", { prompt: [1, 2] }, "prompt"],
    ["lists of tokens", { prompt: [[1, 2]] }, "prompt"],
    ["no prompt in the list", { prompt: [] }, "prompt"],
    ["a gap to be filled", { prompt: "a", suffix: "z" }, "suffix"],
    ["probabilities of the prompt", { prompt: "a", echo: true, logprobs: 1 }, "echo"],
  ])("%s", (_what, fields, param) => {
    expect(refusal({ model: "m", ...fields })).toEqual(["not_carried", param]);
  });

  test.each<[string, JsonObject]>([
    ["model", { prompt: "a" }],
    ["prompt", { model: "m" }],
    ["prompt", { model: "m", prompt: null }],
    ["prompt", { model: "m", prompt: { a: 1 } }],
    ["prompt[0]", { model: "m", prompt: [{}] }],
    ["max_tokens", { model: "m", prompt: "a", max_tokens: 0 }],
    ["temperature", { model: "m", prompt: "a", temperature: 3 }],
    ["logprobs", { model: "m", prompt: "a", logprobs: true }],
    ["n", { model: "m", prompt: "a", n: 0 }],
    ["best_of", { model: "m", prompt: "a", best_of: "2" }],
    ["echo", { model: "m", prompt: "a", echo: 1 }],
  ])("an invalid field is named: %s", (param, body) => {
    expect(refusal(body)).toEqual(["invalid_request", param]);
  });

  test("null counts as omitted", () => {
    expect(
      refusal({ model: "m", prompt: "a", suffix: "", echo: null, logprobs: null }),
    ).toBeUndefined();
  });
});

test("a stream without content yet sends keep-alives", () => {
  expect(readEvents(`${completions.keepAlive}data: a\n\n`).map(({ data }) => data)).toEqual(["a"]);
  expect(completions.keepAlive).toStartWith(":");
});

describe("a response is a continued text", () => {
  test("complete, with its probabilities in columns", () => {
    expect(completions.inbound.buildResponse(ANSWER, read({}))).toEqual({
      id: `cmpl-${"a".repeat(24)}`,
      object: "text_completion",
      created: 7,
      model: "m-1",
      choices: [
        {
          text: " upon a",
          index: 0,
          logprobs: {
            tokens: [" upon"],
            token_logprobs: [-0.5],
            top_logprobs: [{ " upon": -0.5, " more": -1 }],
            text_offset: [0],
          },
          finish_reason: "length",
        },
        { text: "no", index: 1, logprobs: null, finish_reason: "stop" },
      ],
      usage: expect.objectContaining(DETAILED_USAGE) as unknown as Json,
    });
  });

  test("in a stream, piece by piece, without its reasoning", async () => {
    const chunks = await streamed({ stream: true });

    expect(chunks[0]).toMatchObject({ id: `cmpl-${"a".repeat(24)}`, object: "text_completion" });
    expect(chunks.some((chunk) => "usage" in chunk)).toBe(false);
    expect(choicesIn(chunks)).toMatchObject([
      { text: " upon", index: 0, logprobs: { text_offset: [0] }, finish_reason: null },
      { text: " a", index: 0, logprobs: null, finish_reason: null },
      { text: "no", index: 1, logprobs: null, finish_reason: null },
      { text: "", index: 0, logprobs: null, finish_reason: "length" },
      { text: "", index: 1, logprobs: null, finish_reason: "stop" },
    ]);
  });

  test("with usage at the end, if requested", async () => {
    const chunks = await streamed({ stream: true, stream_options: { include_usage: true } });

    expect(chunks.slice(0, -1).every((chunk) => chunk["usage"] === null)).toBe(true);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: DETAILED_USAGE });
  });

  test("with the prompt before it, once for each choice, for an echo", async () => {
    const body = completions.inbound.buildResponse(ANSWER, read({ echo: true }));
    const chunks = await streamed({ echo: true, stream: true });
    const texts = (choices: readonly JsonObject[]): string[] =>
      [0, 1].map((index) =>
        choices
          .filter((choice) => choice["index"] === index)
          .map((choice) => textOf(choice["text"]))
          .join(""),
      );

    expect(texts(choicesIn([body]))).toEqual(["Once upon a", "Onceno"]);
    expect(texts(choicesIn(chunks))).toEqual(["Once upon a", "Onceno"]);
  });

  test("that broke off never gets a normal end", async () => {
    const cut = ANSWER.filter(({ type }) => type !== "finish");
    const ended = await streamed({ stream: true }, cut).then(
      () => "ended",
      (error: unknown) => (error instanceof GatewayError ? error.code : String(error)),
    );

    expect(ended).toBe("upstream_failed");
  });

  test("that failed midway has an error as its last event", () => {
    const error = new GatewayError("upstream_timeout", "Too late.");
    const [event] = readEvents(completions.inbound.openEncoder(read({})).fail(error));

    expect(JSON.parse(event?.data ?? "")).toEqual(completions.inbound.buildError(error));
  });
});
