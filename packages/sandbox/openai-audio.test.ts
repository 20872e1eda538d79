import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI, { APIError, toFile } from "openai";
import type { ZodType } from "zod";
import { SHARED, withShared } from "../../test/shared.ts";
import { encodeSound } from "./engine/sound/encode-sound.ts";
import { letterTones } from "./engine/sound/letter-tones.ts";
import { readSound } from "./engine/sound/read-sound.ts";
import { parseJson, type JsonObject } from "./json.ts";
import { startSandbox, type Sandbox } from "./server.ts";
import { eventsIn, textAt } from "./testing/chat.ts";
import { openapiSchemas } from "./testing/openapi-schemas.ts";
import { call } from "./testing/pictures.ts";

let sandbox: Sandbox;
let client: OpenAI;
beforeAll(async () => {
  sandbox = await startSandbox();
  client = new OpenAI({ apiKey: "sk-test", baseURL: `${sandbox.url}/openai/v1`, maxRetries: 0 });
});
afterAll(() => sandbox.stop());

const SPEECH = "/openai/v1/audio/speech";
const WORDS = "Hello there. How is the weather? It is fine.";

async function spoken(
  format: "mp3" | "opus" | "aac" | "flac" | "wav" | "pcm",
  more: { speed?: number; input?: string; voice?: string } = {},
): Promise<Buffer> {
  const response = await client.audio.speech.create({
    model: "gpt-4o-mini-tts",
    voice: "alloy",
    input: WORDS,
    response_format: format,
    ...more,
  });
  return Buffer.from(await response.arrayBuffer());
}

const recording = (name = "a.wav", words = WORDS) =>
  toFile(encodeSound(letterTones(words, 220, 1), "wav", words), name);

/** Status, param and code; what it says is for people. */
async function refused(asked: PromiseLike<unknown>): Promise<string> {
  const error = await asked.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  if (!(error instanceof APIError)) throw new Error(`Not refused: ${String(error)}`);
  return [error.status, error.param, error.code].map(String).join(" | ");
}

describe("speech", () => {
  test.each([
    ["mp3", "audio/mpeg"],
    ["opus", "audio/ogg"],
    ["aac", "audio/aac"],
    ["flac", "audio/flac"],
    ["wav", "audio/wav"],
  ] as const)("is returned as %s, with the length of its text", async (format, type) => {
    const { mediaType, seconds = 0 } = readSound(await spoken(format)) ?? {};

    expect(mediaType).toBe(type);
    expect(Math.abs(seconds - WORDS.length * 0.06)).toBeLessThan(0.1);
  });

  test("is samples only as pcm, fewer at a higher speed", async () => {
    const [usual, fast, other] = await Promise.all([
      spoken("pcm"),
      spoken("pcm", { speed: 2 }),
      spoken("pcm", { voice: "onyx" }),
    ]);

    expect(usual.length).toBe(WORDS.length * 2_880);
    expect(fast.length).toBe(usual.length / 2);
    expect(other.equals(usual)).toBe(false);
  });

  test("is returned in events that form the file, with the usage at the end", async () => {
    const { status, answer, text } = await post({ stream_format: "sse", response_format: "wav" });
    const events = eventsIn(text).map((data) => JSON.parse(data) as JsonObject);
    const deltas = events.filter(({ type }) => type === "speech.audio.delta");
    const file = Buffer.concat(deltas.map(({ audio }) => Buffer.from(textAt(audio), "base64")));

    expect([status, answer]).toEqual([200, undefined]);
    expect(deltas.length).toBeGreaterThan(3);
    expect(file.equals(await spoken("wav"))).toBe(true);
    expect(events.at(-1)).toMatchObject({
      type: "speech.audio.done",
      usage: { output_tokens: 53, total_tokens: expect.any(Number) },
    });
  });

  test.each<[string, JsonObject, string]>([
    ["no words", { input: "" }, "400 | input | empty_string"],
    ["too many", { input: "x".repeat(4_097) }, "400 | input | string_above_max_length"],
    ["no voice", { voice: null }, "400 | voice | missing_required_parameter"],
    ["nobody's voice", { voice: "bob" }, "400 | voice | invalid_value"],
    ["a later voice", { model: "tts-1", voice: "cedar" }, "400 | voice | invalid_value"],
    [
      "one's own, of an early model",
      { model: "tts-1", voice: { id: "voice_1" } },
      "400 | voice | invalid_type",
    ],
    ["another file", { response_format: "aiff" }, "400 | response_format | invalid_value"],
    ["haste", { speed: 4.5 }, "400 | speed | decimal_above_max_value"],
    [
      "events of an early model",
      { model: "tts-1-hd", stream_format: "sse" },
      "400 | stream_format | unsupported_value",
    ],
    ["an unknown field", { pitch: 1 }, "400 | pitch | unknown_parameter"],
    ["a model that draws", { model: "dall-e-3" }, "404 | model | model_not_found"],
  ])("is refused: %s", async (_, body, wanted) => {
    const { status, answer } = await post(body);
    const error = (answer as { error: { param: string; code: string } }).error;

    expect([status, error.param, error.code].join(" | ")).toBe(wanted);
  });

  test("has the faults that its text orders, which is not spoken", async () => {
    const input = `${WORDS} [[fault:slow first_ms=1]]`;

    expect((await spoken("pcm", { input })).equals(await spoken("pcm"))).toBe(true);
    expect((await post({ input: "[[fault:status code=503]]" })).status).toBe(503);
    const cut = await post({ stream_format: "sse", input: `${WORDS} [[fault:truncate events=2]]` });
    expect(eventsIn(cut.text)).toHaveLength(2);
  });

  async function post(more: JsonObject) {
    const body = { model: "gpt-4o-mini-tts", voice: "alloy", input: WORDS, ...more };
    const response = await fetch(sandbox.url + SPEECH, {
      method: "POST",
      headers: { authorization: "Bearer x", "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, text, answer: parseJson(text) };
  }
});

describe("transcriptions", () => {
  test.each(["mp3", "opus", "aac", "flac", "wav"] as const)(
    "have the spoken text, as %s",
    async (format) => {
      const file = await toFile(await spoken(format), `a.${format}`);
      const { text } = await client.audio.transcriptions.create({
        file,
        model: "gpt-4o-transcribe",
      });

      expect(text).toBe(WORDS);
    },
  );

  test("describe other recordings", async () => {
    const file = await toFile(
      encodeSound(letterTones("x".repeat(50), 220, 1), "wav", ""),
      "rain.wav",
    );
    const { text } = await client.audio.transcriptions.create({ file, model: "whisper-1" });

    expect(text).toBe("This is a 3 second WAV audio named rain.wav of 144044 bytes.");
  });

  test("count tokens or seconds, by model", async () => {
    const file = await recording();
    const create = client.audio.transcriptions;
    const tokens = await create.create({ file, model: "gpt-4o-transcribe", prompt: "Weather" });
    const seconds = await create.create({ file, model: "whisper-1" });

    expect(tokens.usage).toMatchObject({
      type: "tokens",
      input_token_details: { text_tokens: 2, audio_tokens: 27 },
      input_tokens: 29,
    });
    expect(seconds.usage).toEqual({ type: "duration", seconds: 3 });
  });

  test("are returned as text and as subtitles", async () => {
    const file = await recording();
    const as = (response_format: "text" | "srt" | "vtt") =>
      client.audio.transcriptions.create({ file, model: "whisper-1", response_format });

    expect(await as("text")).toBe(`${WORDS}\n`);
    expect(await as("srt")).toStartWith(
      "1\n00:00:00,000 --> 00:00:00,780\nHello there.\n\n2\n00:00:00,780 --> ",
    );
    expect(await as("vtt")).toStartWith(
      "WEBVTT\n\n00:00:00.000 --> 00:00:00.780\nHello there.\n\n",
    );
  });

  test("have the times of words or segments, if requested", async () => {
    const ask = {
      file: await recording(),
      model: "whisper-1",
      response_format: "verbose_json",
    } as const;
    const create = client.audio.transcriptions;
    const plain = await create.create({ ...ask, language: "fr", temperature: 0.4 });
    const words = await create.create({ ...ask, timestamp_granularities: ["word"] });
    const both = await create.create({ ...ask, timestamp_granularities: ["word", "segment"] });

    expect(plain).toMatchObject({ language: "french", duration: 2.64, text: WORDS });
    expect(plain.segments?.map(({ text }) => text.trim())).toEqual([
      "Hello there.",
      "How is the weather?",
      "It is fine.",
    ]);
    expect(plain.segments?.at(-1)).toMatchObject({ end: 2.64, temperature: 0.4 });
    expect(plain).not.toHaveProperty("words");
    expect(words.words?.map(({ word }) => word)).toEqual(WORDS.split(" "));
    expect(words).not.toHaveProperty("segments");
    expect([both.words?.length, both.segments?.length]).toEqual([9, 3]);
  });

  test("have the speakers", async () => {
    const file = await recording();
    const ask = {
      file,
      model: "gpt-4o-transcribe-diarize",
      response_format: "diarized_json",
    } as const;
    const told = await client.audio.transcriptions.create({
      ...ask,
      known_speaker_names: ["Ann"],
      known_speaker_references: ["data:audio/wav;base64,UklGRg=="],
    });
    const stream = await client.audio.transcriptions.create({ ...ask, stream: true });
    const events = await Array.fromAsync(stream);

    expect(told).toMatchObject({
      segments: [{ speaker: "Ann" }, { speaker: "B" }, { speaker: "Ann" }],
      usage: { type: "duration", seconds: 3 },
    });
    expect(events.at(-1)).toMatchObject({ usage: { type: "tokens" } });
    expect(events.filter(({ type }) => type === "transcript.text.segment")).toHaveLength(3);
    expect(textOf(events)).toBe(WORDS);
  });

  test("are streamed word by word, with probabilities", async () => {
    const file = await recording();
    const ask = { file, model: "gpt-4o-mini-transcribe", stream: true } as const;
    const plain = await Array.fromAsync(await client.audio.transcriptions.create(ask));
    const sure = await Array.fromAsync(
      await client.audio.transcriptions.create({ ...ask, include: ["logprobs"] }),
    );

    expect(textOf(plain)).toBe(WORDS);
    expect(plain.at(-1)).toMatchObject({
      type: "transcript.text.done",
      text: WORDS,
      usage: { type: "tokens" },
    });
    expect(plain[0]).not.toHaveProperty("logprobs");
    expect(sure[0]).toMatchObject({ logprobs: [{ token: "Hello", logprob: expect.any(Number) }] });
  });

  test("of the first model are never streamed", async () => {
    const file = await recording();
    const response = await client.audio.transcriptions
      .create({ file, model: "whisper-1", stream: true })
      .asResponse();

    expect(await response.json()).toMatchObject({ text: WORDS });
  });

  const textOf = (events: readonly { type: string }[]) =>
    events.map((event) => ("delta" in event ? String(event.delta) : "")).join("");

  test("are refused with unsupported options", async () => {
    const file = await recording();
    const ask = (more: object) =>
      refused(client.audio.transcriptions.create({ file, model: "gpt-4o-transcribe", ...more }));
    const text = await toFile(Buffer.from("hello"), "a.txt");
    const broken = await toFile(Buffer.from("hello"), "a.wav");
    const blip = await toFile(encodeSound(new Uint8Array(960), "wav", ""), "a.wav");

    expect(await ask({ model: "gpt-4o" })).toBe("404 | model | model_not_found");
    expect(await ask({ file: text })).toBe("400 | file | null");
    expect(await ask({ file: broken })).toBe("400 | file | invalid_value");
    expect(await ask({ file: blip })).toBe("400 | file | audio_too_short");
    expect(
      await ask({ file: await recording("a.wav", "x".repeat(20)), response_format: "srt" }),
    ).toBe("400 | response_format | unsupported_value");
    expect(await ask({ temperature: 2 })).toBe("400 | temperature | decimal_above_max_value");
    expect(await ask({ language: "english" })).toBe("400 | language | invalid_language_format");
    expect(await ask({ include: ["usage"] })).toBe("400 | include[0] | invalid_value");
    expect(await ask({ model: "whisper-1", include: ["logprobs"] })).toBe(
      "400 | include | unknown_parameter",
    );
    expect(await ask({ model: "whisper-1", timestamp_granularities: ["word"] })).toBe(
      "400 | timestamp_granularities | invalid_value",
    );
    expect(await ask({ model: "gpt-4o-transcribe-diarize", prompt: "x" })).toBe(
      "400 | prompt | unknown_parameter",
    );
    const long = await recording("a.wav", "word ".repeat(120));
    expect(await ask({ model: "gpt-4o-transcribe-diarize", file: long })).toBe(
      "400 | chunking_strategy | missing_required_parameter",
    );
    const large = await toFile(Buffer.alloc(25 * 1_048_576 + 1), "a.wav");
    expect(await ask({ file: large })).toStartWith("413");
    const json = await call(sandbox, "/openai/v1/audio/transcriptions", { model: "whisper-1" });
    expect(json.status).toBe(400);
  });

  test("have the faults that their prompt orders", async () => {
    const file = await recording();
    const prompt = "[[fault:status code=429]]";

    expect(
      await refused(client.audio.transcriptions.create({ file, model: "whisper-1", prompt })),
    ).toStartWith("429");
  });
});

describe("translations", () => {
  test("are English, for audio in any language", async () => {
    const ask = { file: await recording(), model: "whisper-1" } as const;
    const { text } = await client.audio.translations.create(ask);
    const response_format = "verbose_json";
    const verbose = await client.audio.translations.create({ ...ask, response_format });

    expect(text).toBe(WORDS);
    expect(verbose).toMatchObject({ language: "english", text: WORDS });
  });

  test("are refused for other models, and with a language", async () => {
    const file = await recording();
    const ask = (more: object) =>
      refused(client.audio.translations.create({ file, model: "whisper-1", ...more }));

    expect(await ask({ model: "gpt-4o-transcribe" })).toBe("404 | model | model_not_found");
    expect(await ask({ language: "de" })).toBe("400 | language | unknown_parameter");
  });
});

withShared("schemas", () => {
  const schema = openapiSchemas(`${SHARED}/schemas/openai.openapi.yaml`);
  const problems = (one: ZodType, value: unknown) => one.safeParse(value).error?.issues ?? [];
  async function post(path: string, fields: Readonly<Record<string, string>>): Promise<string> {
    const form = new FormData();
    form.append("file", await recording());
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    const headers = { authorization: "Bearer x" };
    const url = `${sandbox.url}/openai/v1/audio/${path}`;
    return await (await fetch(url, { method: "POST", headers, body: form })).text();
  }

  test.each([
    [
      "transcriptions",
      { model: "gpt-4o-transcribe", "include[]": "logprobs" },
      "CreateTranscriptionResponseJson",
    ],
    [
      "transcriptions",
      { model: "gpt-transcribe", "languages[]": "de" },
      "CreateTranscriptionResponseJson",
    ],
    ["transcriptions", { model: "whisper-1" }, "CreateTranscriptionResponseJson"],
    [
      "transcriptions",
      { model: "whisper-1", response_format: "verbose_json", "timestamp_granularities[]": "word" },
      "CreateTranscriptionResponseVerboseJson",
    ],
    [
      "transcriptions",
      { model: "gpt-4o-transcribe-diarize", response_format: "diarized_json" },
      "CreateTranscriptionResponseDiarizedJson",
    ],
    ["translations", { model: "whisper-1" }, "CreateTranslationResponseJson"],
    [
      "translations",
      { model: "whisper-1", response_format: "verbose_json" },
      "CreateTranslationResponseVerboseJson",
    ],
  ])("%s of %j conform to the vendor's own description", async (path, fields, name) => {
    const answer = parseJson(await post(path, fields as Record<string, string>));

    expect(problems(schema(name), answer)).toEqual([]);
    expect(problems(schema(name), { ...Object(answer), text: 1 })).not.toEqual([]);
  });

  test("the events of all streams conform as well", async () => {
    const stream = { stream: "true" };
    const model = "gpt-4o-transcribe-diarize";
    const heard = [
      await post("transcriptions", {
        ...stream,
        model: "gpt-4o-transcribe",
        "include[]": "logprobs",
      }),
      await post("transcriptions", { ...stream, model, response_format: "diarized_json" }),
    ];
    const spokenStream = await fetch(sandbox.url + SPEECH, {
      method: "POST",
      headers: { authorization: "Bearer x", "content-type": "application/json" },
      body: JSON.stringify({
        model: "gpt-4o-mini-tts",
        voice: "ash",
        input: "Hi",
        stream_format: "sse",
      }),
    });
    const wrong = (name: string, text: string) =>
      eventsIn(text).flatMap((data) => problems(schema(name), parseJson(data)));

    for (const text of heard)
      expect(wrong("CreateTranscriptionResponseStreamEvent", text)).toEqual([]);
    expect(wrong("CreateSpeechResponseStreamEvent", await spokenStream.text())).toEqual([]);
    expect(wrong("CreateSpeechResponseStreamEvent", heard[0] ?? "")).not.toEqual([]);
  });
});
