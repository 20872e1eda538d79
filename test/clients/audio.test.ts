import { createOpenAI } from "@ai-sdk/openai";
import {
  experimental_generateSpeech as generateSpeech,
  experimental_transcribe as transcribe,
} from "ai";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createReadStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI, { toFile } from "openai";
import type { SpeechCreateParams } from "openai/resources/audio/speech";
import {
  CUES,
  SOUND,
  startAudioVendor,
  TEXT,
  WORDS,
  type AudioVendor,
} from "#test/audio-vendor.ts";
import { KEY, openTestGateway, simulatedChannel, type TestGateway } from "#test/harness.ts";

let vendor: AudioVendor;
let gateway: TestGateway;
let folder: string;
beforeAll(async () => {
  vendor = startAudioVendor();
  folder = mkdtempSync(join(tmpdir(), "sluice-audio-"));
  const models =
    "models: [gpt-4o-mini-tts, gpt-4o-transcribe, whisper-1, omni-moderation-latest, broken, dying, slow]";
  gateway = await openTestGateway({
    yaml: `channels:\n${simulatedChannel("audio", vendor.url, models)}`,
  });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  vendor[Symbol.dispose]();
  rmSync(folder, { recursive: true, force: true });
});

const RECORDING = new Uint8Array(16_000).fill(7);
const recording = () => toFile(RECORDING, "speech.mp3", { type: "audio/mpeg" });

describe.each(["", "/openai"])("the official client, unmodified, below '%s'", (prefix) => {
  let client: OpenAI;
  beforeAll(() => {
    client = new OpenAI({ baseURL: `${gateway.url}${prefix}/v1`, apiKey: KEY, maxRetries: 0 });
  });

  const SPEECH: SpeechCreateParams = { model: "gpt-4o-mini-tts", voice: "coral", input: "Hello." };

  test("gets a text as a spoken file", async () => {
    const response = await client.audio.speech.create({ ...SPEECH, instructions: "Cheerfully." });
    const path = join(folder, "hello.mp3");
    writeFileSync(path, Buffer.from(await response.arrayBuffer()));

    expect(readFileSync(path)).toEqual(Buffer.from(SOUND));
    expect(response.headers.get("content-type")).toBe("audio/mpeg");
  });

  test("gets speech piece by piece", async () => {
    const response = await client.audio.speech.create({ ...SPEECH, model: "slow" });
    const pieces: Uint8Array[] = [];
    let going: ReturnType<typeof setInterval> | undefined;
    for await (const piece of response.body ?? []) {
      pieces.push(piece);
      // The vendor sends no further piece before the client has the first one.
      going ??= setInterval(() => vendor.goOn(), 1);
    }
    clearInterval(going);

    expect(pieces.length).toBeGreaterThan(1);
    expect(Buffer.concat(pieces)).toEqual(Buffer.from(SOUND));
  });

  test("gets a vendor's failure of speech as an error", async () => {
    const failure = await client.audio.speech
      .create({ ...SPEECH, model: "broken" })
      .catch((cause: unknown) => cause);

    expect(failure).toBeInstanceOf(OpenAI.APIError);
    expect(failure).toMatchObject({ status: 502 });
  });

  const SHAPES: readonly (readonly ["json" | "verbose_json" | "text" | "srt" | "vtt", unknown])[] =
    [
      ["json", expect.objectContaining({ text: TEXT })],
      ["verbose_json", expect.objectContaining({ text: TEXT, duration: 8.47, segments: [] })],
      ["text", `${TEXT}\n`],
      ["srt", CUES.srt],
      ["vtt", expect.stringMatching(/^WEBVTT/)],
    ];

  test.each(SHAPES)("gets a transcription and a translation as %s", async (shape, expected) => {
    const ask = { file: await recording(), model: "whisper-1", response_format: shape } as const;

    const written: unknown = await client.audio.transcriptions.create(ask);
    const translated: unknown = await client.audio.translations.create(ask);

    expect([written, translated]).toEqual([expected, expected]);
  });

  test("sends a file from disk, with lists and chunking", async () => {
    const path = join(folder, "meeting.wav");
    writeFileSync(path, RECORDING);
    const { usage } = await client.audio.transcriptions.create({
      file: createReadStream(path),
      model: "gpt-4o-transcribe",
      include: ["logprobs"],
      chunking_strategy: "auto",
    });

    expect(usage).toMatchObject({ type: "tokens", total_tokens: 19 });
    const heard = vendor.heard.at(-1);
    expect(heard?.file).toMatchObject({ name: "meeting.wav" });
    expect(heard?.file?.bytes).toEqual(RECORDING);
    expect(heard?.body).toMatchObject({ "include[]": "logprobs", chunking_strategy: "auto" });
  });

  test("reads a transcript as it arrives", async () => {
    const stream = await client.audio.transcriptions.create({
      file: await recording(),
      model: "gpt-4o-transcribe",
      stream: true,
    });
    const events = await Array.fromAsync(stream);

    const deltas = events.filter((event) => event.type === "transcript.text.delta");
    expect(deltas.map(({ delta }) => delta)).toEqual([...WORDS]);
    expect(events.at(-1)).toMatchObject({ type: "transcript.text.done", text: TEXT });
  });

  test("throws if a transcript breaks off", async () => {
    const stream = await client.audio.transcriptions.create({
      file: await recording(),
      model: "dying" as "gpt-4o-transcribe",
      stream: true,
    });

    const failure = await Array.fromAsync(stream).catch((cause: unknown) => cause);

    expect(failure).toBeInstanceOf(OpenAI.APIError);
    expect(String(failure)).toContain("ended before it was complete");
  });

  test("gets moderations, with or without a model", async () => {
    const named = await client.moderations.create({
      model: "omni-moderation-latest",
      input: [{ type: "text", text: "kill" }],
    });
    const unnamed = await client.moderations.create({ input: ["kind", "kill"] });

    expect(named.results.map(({ flagged }) => flagged)).toEqual([true]);
    expect(unnamed.results.map(({ flagged }) => flagged)).toEqual([false, true]);
  });
});

describe("the AI SDK, unmodified", () => {
  const openai = () => createOpenAI({ baseURL: `${gateway.url}/v1`, apiKey: KEY });

  test("gets speech", async () => {
    const { audio } = await generateSpeech({
      model: openai().speech("gpt-4o-mini-tts"),
      text: "Hello.",
      voice: "coral",
      maxRetries: 0,
    });

    expect(audio.uint8Array).toEqual(SOUND);
    expect(audio.mediaType).toBe("audio/mpeg");
  });

  test.each(["whisper-1", "gpt-4o-transcribe"])("gets a transcript of %s", async (model) => {
    const { text } = await transcribe({
      model: openai().transcription(model),
      audio: RECORDING,
      maxRetries: 0,
    });

    expect(text).toBe(TEXT);
  });
});
