import {
  encodeSound,
  SOUND_FORMATS,
  type SoundFormat,
} from "@sluice/sandbox/engine/sound/encode-sound.ts";
import { letterTones } from "@sluice/sandbox/engine/sound/letter-tones.ts";
import { SAMPLE_RATE_HZ } from "@sluice/sandbox/engine/tone.ts";
import { countTokens } from "@sluice/sandbox/engine/tokens.ts";
import { withoutMagicWords } from "@sluice/sandbox/faults/magic-words.ts";
import type { Faults } from "@sluice/sandbox/faults/faults.ts";
import { reportedUsage } from "@sluice/sandbox/faults/usage-faults.ts";
import { isJsonObject, type Json, type JsonObject } from "@sluice/sandbox/json.ts";
import { invalid, noSuchModel } from "../error.ts";
import {
  field,
  objectIn,
  readChoice,
  readFilled,
  readNumber,
  readObject,
  readText,
  required,
} from "../fields.ts";
import { refuseUnknown } from "../unknown-parameters.ts";
import type { Frame } from "@sluice/sandbox/wire/frame.ts";
import { bytesReply, eventsReply, type Reply } from "@sluice/sandbox/wire/reply.ts";
import { SPEAKERS, type Speaker } from "./models.ts";

/** https://platform.openai.com/docs/api-reference/audio/createSpeech. Throws `ApiError` if it refuses. */
export function speak(
  body: Json | undefined,
  headers: Readonly<Record<string, string>>,
  faults: Faults,
): Reply {
  const { input, instructions, voice, format, speed, isEvents } = readRequest(objectIn(body));
  const words = withoutMagicWords(input);
  const pcm = letterTones(words, heightOf(voice), speed);
  const sound = encodeSound(pcm, format, words);
  const made = Math.ceil((pcm.length / 2 / SAMPLE_RATE_HZ) * TOKENS_PER_SECOND);
  if (!isEvents) return bytesReply(sound, TYPES[format], headers, made);

  const heard = countTokens(words) + countTokens(instructions);
  const usage = { input_tokens: heard, output_tokens: made, total_tokens: heard + made };
  return eventsReply(eventsOf(sound, made, reportedUsage(usage, faults)), headers);
}

const TOKENS_PER_SECOND = 20;
const PORTION_BYTES = 8_192;

const TYPES: Readonly<Record<SoundFormat, string>> = {
  mp3: "audio/mpeg",
  opus: "audio/opus",
  aac: "audio/aac",
  flac: "audio/flac",
  wav: "audio/wav",
  pcm: "audio/pcm",
};

function* eventsOf(
  sound: Uint8Array,
  tokens: number,
  usage: JsonObject | undefined,
): Generator<Frame> {
  const portions = Math.ceil(sound.length / PORTION_BYTES);
  for (let index = 0; index < portions; index++) {
    const portion = sound.subarray(index * PORTION_BYTES, (index + 1) * PORTION_BYTES);
    const audio = Buffer.from(portion).toString("base64");
    // Each has its share, and all of them have them all.
    const share =
      Math.floor((tokens * (index + 1)) / portions) - Math.floor((tokens * index) / portions);
    const data = JSON.stringify({ type: "speech.audio.delta", audio });
    yield { kind: "delta", data, tokens: share };
  }
  const done = { type: "speech.audio.done", ...(usage === undefined ? {} : { usage }) };
  yield { kind: "finish", data: JSON.stringify(done), tokens: 0 };
}

const MAX_CHARACTERS = 4_096;
const FIELDS = [
  "model",
  "input",
  "voice",
  "instructions",
  "response_format",
  "speed",
  "stream_format",
];

function readRequest(body: JsonObject) {
  const speaker = findSpeaker(readFilled(field(body, "model")));
  refuseUnknown(body, FIELDS);
  const streamFormat = field(body, "stream_format");
  const isEvents = readChoice(streamFormat, ["sse", "audio"]) === "sse";
  if (isEvents && !speaker.isSteered) {
    throw invalid(
      "stream_format",
      "unsupported_value",
      `Unsupported value: 'stream_format' does not support 'sse' with this model.`,
    );
  }
  return {
    input: readFilled(field(body, "input"), MAX_CHARACTERS),
    // Models that cannot be told how to speak take no notice.
    instructions: readText(field(body, "instructions"), MAX_CHARACTERS) ?? "",
    voice: readVoice(body, speaker),
    format: readChoice(field(body, "response_format"), SOUND_FORMATS) ?? "mp3",
    speed: readNumber(field(body, "speed"), 0.25, 4) ?? 1,
    isEvents,
  };
}

function findSpeaker(id: string): Speaker {
  const found = SPEAKERS.find((speaker) => speaker.id === id);
  if (found !== undefined) return found;
  throw noSuchModel(id);
}

/** One of the vendor's, or one of the caller's own by its id. */
function readVoice(body: JsonObject, { voices, isSteered }: Speaker): string {
  const voice = field(body, "voice");
  if (!isSteered || !isJsonObject(voice.value)) return required(voice, readChoice(voice, voices));
  const own = required(voice, readObject(voice));
  refuseUnknown(own, ["id"], "voice");
  const id = readFilled(field(own, "id", "voice.id"));
  if (/^voice_\w+$/.test(id)) return id;
  throw invalid("voice.id", "invalid_value", `There is no voice '${id}'.`);
}

/** Of the lowest letter, so that voices can be told apart. */
function heightOf(voice: string): number {
  const sum = [...voice].reduce((total, letter) => total + (letter.codePointAt(0) ?? 0), 0);
  return 160 + (sum % 24) * 10;
}
