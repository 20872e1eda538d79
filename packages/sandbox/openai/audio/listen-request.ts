import { readSound, type Sound } from "@sluice/sandbox/engine/sound/read-sound.ts";
import { isJsonArray, type JsonObject } from "@sluice/sandbox/json.ts";
import { ApiError, invalid, noSuchModel } from "../error.ts";
import {
  field,
  readBoolean,
  readChoice,
  readFilled,
  readList,
  readNumber,
  readObject,
  readText,
  required,
  type FieldValue,
} from "../fields.ts";
import { filesNamed, formBody, namesIn } from "../form-body.ts";
import { refuseUnknown } from "../unknown-parameters.ts";
import type { Form } from "@sluice/sandbox/wire/form.ts";
import {
  LISTENERS,
  TRANSCRIPT_FORMATS,
  WHISPER,
  type Listener,
  type TranscriptFormat,
} from "./models.ts";

/** Input and options of a transcription. */
export interface ListenRequest {
  readonly listener: Listener;
  readonly sound: Sound;
  readonly name: string;
  readonly sizeBytes: number;
  readonly prompt: string;
  readonly format: TranscriptFormat;
  readonly temperature: number;
  /** In English, as in "french". */
  readonly language: string;
  readonly languages: readonly string[];
  readonly granularities: readonly ("word" | "segment")[];
  readonly showsLogprobs: boolean;
  readonly isStream: boolean;
  readonly speakers: readonly string[];
}

const COMMON = ["file", "model", "response_format", "temperature"];
const HEARD = ["language", "stream", "chunking_strategy"];

/** Throws `ApiError` if the vendor refuses the request. */
export function readTranscription(form: Form): ListenRequest {
  return readListening(form, LISTENERS, (listener) => [...HEARD, ...listener.fields]);
}

/** Into English, by one model alone. */
export function readTranslation(form: Form): ListenRequest {
  return readListening(form, [WHISPER], () => ["prompt"]);
}

function readListening(
  form: Form,
  listeners: readonly Listener[],
  fieldsOf: (listener: Listener) => readonly string[],
): ListenRequest {
  const body = formBody(form, {
    temperature: "number",
    stream: "boolean",
    chunking_strategy: "json",
  });
  const id = readFilled(field(body, "model"));
  const listener = listeners.find((each) => each.id === id);
  if (listener === undefined) throw noSuchModel(id);
  refuseUnknown(namesIn(form), [...COMMON, ...fieldsOf(listener)]);
  const format = readFormat(body, listener);
  const granularities = readChoices(body, "timestamp_granularities", ["word", "segment"]);
  if (granularities.length > 0 && format !== "verbose_json") {
    const message = "timestamp_granularities needs response_format 'verbose_json'.";
    throw invalid("timestamp_granularities", "invalid_value", message);
  }
  const recording = readRecording(form);
  checkChunking(body, listener, recording.sound);
  return {
    listener,
    ...recording,
    format,
    granularities,
    prompt: readText(field(body, "prompt")) ?? "",
    temperature: readNumber(field(body, "temperature"), 0, 1) ?? 0,
    language: readLanguage(field(body, "language")),
    languages: readTexts(body, "languages"),
    showsLogprobs: readChoices(body, "include", ["logprobs"]).length > 0,
    isStream: (readBoolean(field(body, "stream")) ?? false) && listener.streams,
    speakers: readSpeakers(body),
  };
}

function readFormat(body: JsonObject, { id, formats }: Listener): TranscriptFormat {
  const format = readChoice(field(body, "response_format"), TRANSCRIPT_FORMATS) ?? "json";
  if (formats.includes(format)) return format;
  const list = formats.map((each) => `'${each}'`).join(" or ");
  throw invalid(
    "response_format",
    "unsupported_value",
    `response_format '${format}' is not compatible with model '${id}'. Use ${list} instead.`,
  );
}

/** A list, or one of it by itself. */
function listIn(body: JsonObject, name: string, most = 100): readonly FieldValue[] {
  const { value } = field(body, name);
  if (value !== undefined && !isJsonArray(value)) return [{ path: name, value }];
  const list = readList({ path: name, value }, 0, most) ?? [];
  return list.map((each, index) => ({ path: `${name}[${index}]`, value: each }));
}

function readChoices<const Choice extends string>(
  body: JsonObject,
  name: string,
  choices: readonly Choice[],
): readonly Choice[] {
  return listIn(body, name).map((each) => required(each, readChoice(each, choices)));
}

function readTexts(body: JsonObject, name: string, most?: number): readonly string[] {
  return listIn(body, name, most).map((each) => readFilled(each));
}

const MAX_SPEAKERS = 4;

function readSpeakers(body: JsonObject): readonly string[] {
  const names = readTexts(body, "known_speaker_names", MAX_SPEAKERS);
  const samples = readTexts(body, "known_speaker_references", MAX_SPEAKERS);
  if (names.length === samples.length) return names;
  const message = "Every name of known_speaker_names needs one of known_speaker_references.";
  throw invalid("known_speaker_references", "invalid_value", message);
}

const MAX_FILE_BYTES = 25 * 1_048_576;
const MIN_SECONDS = 0.1;

function readRecording(form: Form) {
  const [file] = filesNamed(form, "file");
  const { name, bytes } = required({ path: "file", value: undefined }, file);
  if (bytes.length > MAX_FILE_BYTES) {
    const message = `Maximum content size limit (${MAX_FILE_BYTES}) exceeded (${bytes.length} bytes read)`;
    throw new ApiError(413, { message, type: "server_error" });
  }
  const sound = readSound(bytes);
  if (sound === undefined) throw unknownFormat(name);
  if (sound.seconds === undefined || sound.seconds >= MIN_SECONDS)
    return { name, sound, sizeBytes: bytes.length };
  const message = `Audio file is too short. Minimum audio length is ${MIN_SECONDS} seconds.`;
  throw invalid("file", "audio_too_short", message);
}

const ENDINGS = ["flac", "m4a", "mp3", "mp4", "mpeg", "mpga", "oga", "ogg", "wav", "webm"];

/** A name that promises sound makes it a broken file, and not one of another kind. */
function unknownFormat(name: string): ApiError {
  const ending = name.split(".").at(-1)?.toLowerCase() ?? "";
  if (ENDINGS.includes(ending)) {
    const message = "The audio file could not be decoded or its format is not supported.";
    return invalid("file", "invalid_value", message);
  }
  const list = ENDINGS.map((each) => `'${each}'`).join(", ");
  return invalid("file", null, `Invalid file format. Supported formats: [${list}]`);
}

function readLanguage(place: FieldValue): string {
  const code = readText(place) ?? "en";
  const name = /^[a-z]{2}$/.test(code) ? NAMES.of(code) : undefined;
  if (name !== undefined) return name.toLowerCase();
  throw invalid(
    place.path,
    "invalid_language_format",
    `Invalid language '${code}'. Language parameter must be specified in ISO-639-1 format.`,
  );
}

const NAMES = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" });

const MAX_SECONDS_AT_ONCE = 30;

/** Who tells speakers apart needs to be told how to cut what is long. */
function checkChunking(body: JsonObject, { formats }: Listener, { seconds = 0 }: Sound): void {
  const strategy = field(body, "chunking_strategy");
  if (strategy.value === undefined) {
    if (seconds <= MAX_SECONDS_AT_ONCE || !formats.includes("diarized_json")) return;
    throw invalid(
      strategy.path,
      "missing_required_parameter",
      "chunking_strategy is required for diarization models.",
    );
  }
  if (typeof strategy.value === "string") {
    readChoice(strategy, ["auto"]);
    return;
  }
  const detection = required(strategy, readObject(strategy));
  const part = (name: string) => field(detection, name, `chunking_strategy.${name}`);
  refuseUnknown(
    detection,
    ["type", "prefix_padding_ms", "silence_duration_ms", "threshold"],
    strategy.path,
  );
  required(part("type"), readChoice(part("type"), ["server_vad"]));
  readNumber(part("threshold"), 0, 1);
  readNumber(part("prefix_padding_ms"), 0, 60_000);
  readNumber(part("silence_duration_ms"), 0, 60_000);
}
