/** A model that speaks. */
export interface Speaker {
  readonly id: string;
  readonly voices: readonly string[];
  /** Can be told how to speak, with voices of one's own, in events. */
  readonly isSteered: boolean;
}

const VOICES = ["alloy", "ash", "coral", "echo", "fable", "onyx", "nova", "sage", "shimmer"];
const LATER_VOICES = [...VOICES, "ballad", "verse", "marin", "cedar"];

export const SPEAKERS: readonly Speaker[] = [
  { id: "tts-1", voices: VOICES, isSteered: false },
  { id: "tts-1-hd", voices: VOICES, isSteered: false },
  { id: "gpt-4o-mini-tts", voices: LATER_VOICES, isSteered: true },
  { id: "gpt-4o-mini-tts-2025-12-15", voices: LATER_VOICES, isSteered: true },
];

/** A model that writes down what it hears. */
export interface Listener {
  readonly id: string;
  readonly formats: readonly TranscriptFormat[];
  /** Supported fields besides the common ones. */
  readonly fields: readonly string[];
  readonly streams: boolean;
  /** By which its use is counted. */
  readonly countsTokens: boolean;
}

export const TRANSCRIPT_FORMATS = [
  "json",
  "text",
  "srt",
  "verbose_json",
  "vtt",
  "diarized_json",
] as const;

export type TranscriptFormat = (typeof TRANSCRIPT_FORMATS)[number];

function byTokens(id: string, fields: readonly string[]): Listener {
  return { id, formats: ["json"], fields, streams: true, countsTokens: true };
}

const TOKEN_FIELDS = ["prompt", "include"];

export const WHISPER: Listener = {
  id: "whisper-1",
  formats: ["json", "text", "srt", "verbose_json", "vtt"],
  fields: ["prompt", "timestamp_granularities"],
  streams: false,
  countsTokens: false,
};

export const LISTENERS: readonly Listener[] = [
  WHISPER,
  byTokens("gpt-4o-transcribe", TOKEN_FIELDS),
  byTokens("gpt-4o-mini-transcribe", TOKEN_FIELDS),
  byTokens("gpt-4o-mini-transcribe-2025-12-15", TOKEN_FIELDS),
  byTokens("gpt-transcribe", ["prompt", "languages", "keywords"]),
  {
    id: "gpt-4o-transcribe-diarize",
    formats: ["json", "text", "diarized_json"],
    fields: ["known_speaker_names", "known_speaker_references"],
    streams: true,
    countsTokens: false,
  },
];
