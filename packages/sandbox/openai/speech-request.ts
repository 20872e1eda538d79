import type { JsonObject } from "../json.ts";
import { invalid } from "./error.ts";
import { field, readChoice, readList, readObject, required } from "./fields.ts";
import type { Model } from "./models.ts";

/** In which form the answer shall be spoken, if it shall. */
export function readSpeech(
  body: JsonObject,
  model: Model,
  isStream: boolean,
): "wav" | "pcm16" | undefined {
  const modalities = readList(field(body, "modalities"), 1, 2) ?? ["text"];
  for (const [index, value] of modalities.entries())
    readChoice({ path: `modalities[${index}]`, value }, ["text", "audio"]);
  if (!modalities.includes("audio")) return undefined;
  if (!model.speaks)
    throw invalid("modalities", "invalid_value", "This model does not make audio output.");

  const audio = required(field(body, "audio"), readObject(field(body, "audio")));
  required(field(audio, "voice", "audio.voice"), audio["voice"]);
  const format = readChoice(field(audio, "format", "audio.format"), [
    "wav",
    "aac",
    "mp3",
    "flac",
    "opus",
    "pcm16",
  ]);
  const chosen = required(field(audio, "format", "audio.format"), format);
  if (isStream && chosen !== "pcm16") {
    throw invalid(
      "audio.format",
      "unsupported_value",
      `Unsupported value: 'audio.format' does not support '${chosen}' when stream=true.`,
    );
  }
  if (chosen !== "wav" && chosen !== "pcm16") {
    throw invalid(
      "audio.format",
      "unsupported_value",
      `The sandbox makes wav and pcm16, but no ${chosen}.`,
    );
  }
  return chosen;
}
