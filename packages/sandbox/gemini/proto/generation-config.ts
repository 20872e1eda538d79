import { message, repeated } from "./message.ts";
import { schema } from "./schema.ts";
import { anyValue, boolean, enumeration, float, int32, text, type Reader } from "./scalars.ts";

const voiceConfig = message("VoiceConfig", {
  prebuiltVoiceConfig: message("PrebuiltVoiceConfig", { voiceName: text }),
});

const thinkingConfig = message("ThinkingConfig", {
  includeThoughts: boolean,
  thinkingBudget: int32,
  thinkingLevel: enumeration("ThinkingConfig.ThinkingLevel", [
    "THINKING_LEVEL_UNSPECIFIED",
    "MINIMAL",
    "LOW",
    "MEDIUM",
    "HIGH",
    "XHIGH",
  ]),
});

/** https://ai.google.dev/api/generate-content#generationconfig */
export const generationConfig = message("GenerationConfig", {
  temperature: float,
  topP: float,
  topK: int32,
  candidateCount: int32,
  maxOutputTokens: int32,
  stopSequences: repeated(text),
  responseMimeType: text,
  responseSchema: schema,
  responseJsonSchema: anyValue,
  _responseJsonSchema: anyValue,
  responseModalities: repeated(
    enumeration("GenerationConfig.Modality", [
      "MODALITY_UNSPECIFIED",
      "TEXT",
      "IMAGE",
      "AUDIO",
      "VIDEO",
    ]),
  ),
  presencePenalty: float,
  frequencyPenalty: float,
  seed: int32,
  responseLogprobs: boolean,
  logprobs: int32,
  enableEnhancedCivicAnswers: boolean,
  mediaResolution: enumeration("GenerationConfig.MediaResolution", [
    "MEDIA_RESOLUTION_UNSPECIFIED",
    "MEDIA_RESOLUTION_LOW",
    "MEDIA_RESOLUTION_MEDIUM",
    "MEDIA_RESOLUTION_HIGH",
  ]),
  speechConfig: message("SpeechConfig", {
    voiceConfig,
    languageCode: text,
    multiSpeakerVoiceConfig: message("MultiSpeakerVoiceConfig", {
      speakerVoiceConfigs: repeated(message("SpeakerVoiceConfig", { speaker: text, voiceConfig })),
    }),
  }),
  thinkingConfig,
  imageConfig: message("ImageConfig", { aspectRatio: text, imageSize: text }),
});

export type GenerationConfig = Read<typeof generationConfig>;
export type ThinkingConfig = Read<typeof thinkingConfig>;

type Read<Each> = Each extends Reader<infer Value> ? Value : never;
