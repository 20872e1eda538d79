import { hash } from "@sluice/sandbox/engine/random.ts";
import { countTokens, splitTokens } from "@sluice/sandbox/engine/tokens.ts";
import type { Faults } from "@sluice/sandbox/faults/faults.ts";
import { reportedUsage } from "@sluice/sandbox/faults/usage-faults.ts";
import type { JsonObject } from "@sluice/sandbox/json.ts";
import { tokenLogprob } from "../logprobs.ts";
import type { Frame } from "@sluice/sandbox/wire/frame.ts";
import { bytesReply, eventsReply, jsonReply, type Reply } from "@sluice/sandbox/wire/reply.ts";
import type { ListenRequest } from "./listen-request.ts";
import { srt, vtt } from "./subtitles.ts";
import { transcribe, type Spoken, type Transcript } from "./transcript.ts";

/** https://platform.openai.com/docs/api-reference/audio */
export function listen(
  request: ListenRequest,
  task: "transcribe" | "translate",
  headers: Readonly<Record<string, string>>,
  faults: Faults,
): Reply {
  const transcript = transcribe(request.sound, request.name, request.sizeBytes);
  const { text, segments } = transcript;
  const tokens = countTokens(text);
  const hearing: Hearing = { request, transcript, usage: usageOf(request, transcript, faults) };
  if (request.isStream) return eventsReply(eventsOf(hearing), headers);
  switch (request.format) {
    case "text":
      return plain(`${text}\n`, headers, tokens);
    case "srt":
      return plain(srt(segments), headers, tokens);
    case "vtt":
      return plain(vtt(segments), headers, tokens);
    case "verbose_json":
      return jsonReply(200, verbose(hearing, task), headers, tokens);
    case "diarized_json":
      return jsonReply(200, diarized(hearing), headers, tokens);
    case "json":
      return jsonReply(200, short(hearing, task), headers, tokens);
  }
}

interface Hearing {
  readonly request: ListenRequest;
  readonly transcript: Transcript;
  /** As a member of an answer, or nothing. */
  readonly usage: { readonly usage?: JsonObject };
}

function plain(text: string, headers: Readonly<Record<string, string>>, tokens: number): Reply {
  return bytesReply(new TextEncoder().encode(text), "text/plain; charset=utf-8", headers, tokens);
}

function usageOf(
  { listener, prompt, isStream }: ListenRequest,
  { text, seconds }: Transcript,
  faults: Faults,
): Hearing["usage"] {
  const [asked, heard] = [countTokens(prompt), Math.ceil(seconds * TOKENS_PER_SECOND)];
  const made = countTokens(text);
  // A stream has no other form, for any model.
  const isByTokens = listener.countsTokens || isStream;
  const counts: JsonObject = isByTokens
    ? {
        input_tokens: asked + heard,
        input_token_details: { text_tokens: asked, audio_tokens: heard },
        output_tokens: made,
        total_tokens: asked + heard + made,
      }
    : { seconds: Math.ceil(seconds) };
  const usage = reportedUsage(counts, faults);
  const type = isByTokens ? "tokens" : "duration";
  return usage === undefined ? {} : { usage: { type, ...usage } };
}

const TOKENS_PER_SECOND = 10;

function short({ request, transcript, usage }: Hearing, task: string): JsonObject {
  const { text } = transcript;
  if (task === "translate") return { text };
  return { text, ...languagesOf(request), ...logprobsOf(request, text), ...usage };
}

/** Which languages it heard, for the model that says so. */
function languagesOf({ listener, languages }: ListenRequest): JsonObject {
  if (!listener.fields.includes("languages")) return {};
  return { languages: [{ code: languages[0] ?? "en" }] };
}

function logprobsOf({ showsLogprobs }: ListenRequest, text: string): JsonObject {
  if (!showsLogprobs) return {};
  return {
    logprobs: [...splitTokens(text)].map((token) => {
      const { top_logprobs: _none, ...sure } = tokenLogprob(token, 0);
      return sure;
    }),
  };
}

function verbose({ request, transcript, usage }: Hearing, task: string): JsonObject {
  const { text, seconds, segments, words } = transcript;
  const { granularities, temperature } = request;
  const showsWords = granularities.includes("word");
  // Segments come unless only words are asked for.
  const showsSegments = !showsWords || granularities.includes("segment");
  return {
    task,
    language: task === "translate" ? "english" : request.language,
    duration: Number(seconds.toFixed(2)),
    text,
    ...(showsSegments
      ? { segments: segments.map((each, id) => segment(each, id, temperature)) }
      : {}),
    ...(showsWords
      ? { words: words.map(({ text: word, start, end }) => ({ word, start, end })) }
      : {}),
    ...(task === "translate" ? {} : usage),
  };
}

function segment({ text, start, end }: Spoken, id: number, temperature: number): JsonObject {
  return {
    id,
    seek: 0,
    start,
    end,
    text: ` ${text}`,
    tokens: [...splitTokens(text)].map((token) => hash(token) % 50_000),
    temperature,
    avg_logprob: -0.2,
    compression_ratio: 1.1,
    no_speech_prob: 0.01,
  };
}

function diarized({ request, transcript, usage }: Hearing): JsonObject {
  const { text, seconds } = transcript;
  return {
    task: "transcribe",
    duration: Number(seconds.toFixed(2)),
    text,
    segments: turns(request, transcript),
    ...usage,
  };
}

/** Two speak in turn; whom the caller knows come by name. */
function turns({ speakers }: ListenRequest, { segments }: Transcript): readonly JsonObject[] {
  return segments.map(({ text, start, end }, index) => ({
    type: "transcript.text.segment",
    id: `seg_${String(index + 1).padStart(3, "0")}`,
    start,
    end,
    text,
    speaker: speakers[index % 2] ?? "AB".charAt(index % 2),
  }));
}

/** Token by token; what is told by speakers has their turns between. */
function* eventsOf({ request, transcript, usage }: Hearing): Generator<Frame> {
  const { text } = transcript;
  if (request.format === "diarized_json") yield* spokenTurns(request, transcript);
  else for (const token of splitTokens(text)) yield delta(token, logprobsOf(request, token));
  const done = {
    type: "transcript.text.done",
    text,
    ...languagesOf(request),
    ...logprobsOf(request, text),
    ...usage,
  };
  yield { kind: "finish", data: JSON.stringify(done), tokens: 0 };
}

function* spokenTurns(request: ListenRequest, transcript: Transcript): Generator<Frame> {
  for (const [index, turn] of turns(request, transcript).entries()) {
    const text = transcript.segments[index]?.text ?? "";
    for (const token of splitTokens(index === 0 ? text : ` ${text}`))
      yield delta(token, { segment_id: turn["id"] ?? null });
    yield { kind: "delta", data: JSON.stringify(turn), tokens: 0 };
  }
}

function delta(token: string, more: JsonObject): Frame {
  const data = JSON.stringify({ type: "transcript.text.delta", delta: token, ...more });
  return { kind: "delta", data, tokens: 1 };
}
