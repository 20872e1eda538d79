import { describe, expect, test } from "bun:test";
import type { SharedFormat } from "#core/shared-format.ts";
import { Form, type FormPart } from "#lib/form.ts";
import { outlineJson, type JsonObject } from "#lib/json.ts";
import { endOfCues, wordsOfCues } from "./cues.ts";
import { usageOfHeard } from "./transcription-usage.ts";
import { speech } from "./speech.ts";
import { transcriptions, translations } from "./transcription.ts";

function spoken(json: JsonObject) {
  const text = JSON.stringify(json);
  const question = speech.inbound.read?.({ text, json, outline: outlineJson(text, 9) });
  if (question === undefined) throw new Error("Speech is asked for in JSON.");
  return question;
}

/** Two seconds at the bitrate that unknown recordings are taken to have. */
const FILE = {
  name: "file",
  filename: "a.ogg",
  mediaType: "audio/ogg",
  bytes: Buffer.alloc(16_000),
};

function heard(
  fields: Readonly<Record<string, string>> = {},
  format: SharedFormat = transcriptions,
) {
  const parts: FormPart[] = Object.entries({ model: "m", ...fields }).map(([name, value]) => ({
    name,
    value,
  }));
  const question = format.inbound.readForm?.(new Form([...parts, FILE]));
  if (question === undefined) throw new Error("A transcript is asked for by a form.");
  return question;
}

const sse = (...events: readonly (JsonObject | string)[]): Buffer =>
  Buffer.from(
    events
      .map((each) => `data: ${typeof each === "string" ? each : JSON.stringify(each)}\n\n`)
      .join(""),
  );

describe("speech usage", () => {
  test("is the characters of its text, all counted alike", () => {
    const { units, inputTokens, maxOutputTokens } = spoken({ model: "m", input: "Grüße 👋🏽" });

    expect(units).toEqual({ characters: 8 });
    expect(inputTokens).toBeGreaterThan(0);
    expect(maxOutputTokens).toBe(10);
  });

  test("is estimated in tokens if the upstream reports none, beside its characters", () => {
    const question = spoken({ model: "m", input: "x".repeat(1_000) });

    expect(speech.guess(question, { inputTokens: 125, outputTokens: 0 })).toMatchObject({
      characters: 1_000,
      inputTokens: 125,
      outputTokens: 1_250,
      audioOutputTokens: 1_250,
      isEstimated: true,
    });
  });

  test("is the tokens of its last event, all as audio", () => {
    const tap = speech.openTap(spoken({ model: "m", input: "four" }));
    const usage = { input_tokens: 14, output_tokens: 101, total_tokens: 115 };

    tap.push(sse({ type: "speech.audio.delta", audio: "AAAA" }));
    expect([tap.usage, tap.isComplete()]).toEqual([undefined, false]);
    tap.push(sse({ type: "speech.audio.done", usage }));

    expect(tap.isComplete()).toBe(true);
    expect(tap.usage).toMatchObject({
      inputTokens: 14,
      outputTokens: 101,
      audioOutputTokens: 101,
      characters: 4,
      isEstimated: false,
    });
  });
});

describe("transcript usage", () => {
  const readAll = (answer: JsonObject | string, fields?: Readonly<Record<string, string>>) =>
    transcriptions.readAnswer(answer, heard(fields));
  const read = (...given: Parameters<typeof readAll>) => readAll(...given).usage;

  test("is seconds, if the vendor counts those", () => {
    const usage = { type: "duration", seconds: 8.4701 };

    expect(read({ text: "a", usage })).toMatchObject({ durationMs: 8_471, inputTokens: 0 });
    expect(read({ text: "a", duration: 8.4701 })).toMatchObject({ durationMs: 8_471 });
    expect(read({ text: "a", usage, duration: 3 })).toMatchObject({ durationMs: 8_471 });
  });

  test("is tokens, if the vendor counts those, beside the length of the file", () => {
    const usage = {
      type: "tokens",
      input_tokens: 14,
      input_token_details: { text_tokens: 4, audio_tokens: 10 },
      output_tokens: 5,
    };

    expect(read({ text: "a", usage })).toMatchObject({
      inputTokens: 14,
      audioInputTokens: 10,
      outputTokens: 5,
      durationMs: 2_000,
      isEstimated: false,
    });
  });

  test("is both, in another vendor's format", () => {
    const usage = { prompt_tokens: 4, completion_tokens: 27, prompt_audio_seconds: 203 };

    expect(read({ text: "a", usage })).toMatchObject({
      inputTokens: 4,
      outputTokens: 27,
      durationMs: 203_000,
    });
  });

  test("is the end of the last caption, for captions", () => {
    const captions = "1\n00:00:00,000 --> 00:00:02,000\na\n\n2\n00:00:02,000 --> 00:01:00,500\nb\n";

    const { usage, inputUsage, outputText } = readAll(captions, { response_format: "srt" });

    expect(usage).toBeUndefined();
    expect(inputUsage).toMatchObject({ durationMs: 60_500, inputTokens: 1_009, isEstimated: true });
    expect(outputText).toBe("a\n\nb");
    expect(readAll("WEBVTT\n\n", { response_format: "vtt" })).toEqual({ outputText: "" });
  });

  test("is estimated from the file and the text, if the upstream reports none", () => {
    expect(read({ text: "a" })).toBeUndefined();
    const question = heard({ prompt: "abc" });
    expect([question.inputTokens, question.words]).toEqual([35, ["abc"]]);
    expect(transcriptions.guess(question, { inputTokens: 35, outputTokens: 12 })).toMatchObject({
      durationMs: 2_000,
      inputTokens: 35,
      audioInputTokens: 34,
      outputTokens: 12,
      isEstimated: true,
    });
  });

  test("ignores impossible values", () => {
    const impossible: readonly JsonObject[] = [
      { seconds: -1 },
      { seconds: 1e12 },
      { seconds: "9" },
      { input_tokens: -1, output_tokens: 5 },
      { input_tokens: 1e15 },
    ];

    for (const usage of impossible) expect(usageOfHeard(usage, undefined, 1)).toBeUndefined();
  });
});

test.each([
  ["00:00:02,500 --> 01:02:03,004", 3_723_004],
  ["00:00.000 --> 00:02.5 align:start", 2_500],
  ["00:00:00,000 --> 00:00:01,000\nfrom --> to\n", 1_000],
  ["--> a --> b", undefined],
  ["nothing", undefined],
])("captions such as %j end at their stated time", (captions, end) => {
  expect(endOfCues(captions)).toBe(end);
});

test.each([
  [
    "WEBVTT - a talk\n\n00:00.000 --> 00:02.000 align:start\nHello --> all\n42\n",
    "Hello --> all\n42",
  ],
  [
    "1\r\n00:00:00,000 --> 00:00:01,000\r\nfirst\r\n\r\n2\r\n00:00:01,000 --> 00:00:02,000\r\n7\r\n",
    "first\n\n7",
  ],
  ["no cues at all", "no cues at all"],
])("of captions such as %j, the spoken words are counted", (captions, words) => {
  expect(wordsOfCues(captions)).toBe(words);
});

describe("a transcript stream", () => {
  const open = () => transcriptions.openTap(heard({ stream: "true" }));

  test("passes through byte by byte, and its text is collected meanwhile", () => {
    const tap = open();
    const some = sse({ type: "transcript.text.delta", delta: "a" });
    const done = sse({ type: "transcript.text.done", text: "a", usage: { seconds: 1 } });

    expect(tap.push(some)).toEqual(some);
    expect(tap.takeOutputText()).toBe("a");
    expect(tap.push(done)).toEqual(done);
    expect([tap.takeOutputText(), tap.isEnding]).toEqual(["", true]);
    expect(tap.usage).toMatchObject({ durationMs: 1_000 });
  });

  test("may have the form of chat completions, as on other servers", () => {
    const tap = open();
    const chunk = { object: "transcription.chunk", choices: [{ delta: { content: "a" } }] };

    tap.push(sse(chunk));
    expect(tap.isComplete()).toBe(false);
    tap.push(sse({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 1 } }, "[DONE]"));

    expect(tap.isComplete()).toBe(true);
    expect([tap.takeOutputText(), tap.usage?.outputTokens]).toEqual(["a", 1]);
  });

  test("hides an upstream's failure, and passes on the earlier events", () => {
    const tap = open();
    const some = sse({ type: "transcript.text.delta", delta: "a" });
    const failure = sse({ error: { message: "Out of order.", type: "server_error" } });

    expect(tap.push(Buffer.concat([some, failure]))).toEqual(some);
    expect(tap.error?.message).toBe("Out of order.");
    expect(tap.push(sse({ type: "transcript.text.done" }))).toBeUndefined();
    expect(tap.isComplete()).toBe(false);
  });
});

test("a translation has fewer formats than a transcript", () => {
  expect(() => heard({ response_format: "diarized_json" }, translations)).toThrow(
    "response_format",
  );
  expect(heard({ response_format: "diarized_json" }).shape).toBe("diarized_json");
});

test("an implausible play time is not used", () => {
  const bytes = Buffer.alloc(64);
  bytes.write("fLaC");
  bytes.writeUIntBE(1 << 4, 18, 3);
  bytes.writeUInt32BE(0xffff_ffff, 22);
  const form = new Form([
    { name: "model", value: "m" },
    { ...FILE, bytes },
  ]);

  expect(transcriptions.inbound.readForm?.(form).units).toEqual({ durationMs: 604_800_000 });
});

test("the stream field must be a boolean", () => {
  expect([heard({ stream: "true" }).stream, heard({ stream: "0" }).stream]).toEqual([true, false]);
  expect(() => heard({ stream: "maybe" })).toThrow("'stream'");
});
