import { estimateTokens } from "#core/count.ts";
import { validate } from "#core/validate.ts";
import type { SharedFormat, SharedRequest } from "#core/shared-format.ts";
import type { RequestBody } from "#core/style.ts";
import { clampCount, fitUnits, NO_USAGE, usageOf, type Usage } from "#core/usage.ts";
import type { Json } from "#lib/json.ts";
import { object, text, type ObjectRule } from "#lib/rules.ts";
import { memberOf, textOf } from "#lib/values.ts";
import { buildError } from "#styles/text/chat/error.ts";
import { errorIn } from "#styles/text/chat/failure.ts";
import { noAnswer } from "#styles/no-answer.ts";
import { parseError } from "#styles/upstream-error.ts";
import { openAudioTap } from "./audio-tap.ts";

/** Members of a speech request that the gateway reads; the others are forwarded unread. */
export const SPEECH_REQUEST: ObjectRule = object({
  "model!": text({ minLength: 1, maxLength: 512 }),
  "input!": text({ minLength: 1, doc: "What is to be spoken." }),
  instructions: text({ doc: "How it is to be spoken; only some models take them." }),
});

/** Text to speech. */
export const speech: SharedFormat = {
  id: "speech",
  inbound: { read, buildError },
  outbound: { parseError, errorIn },
  answersIn: () => "audio",

  readAnswer() {
    throw noAnswer("is no sound");
  },

  openTap: (question) => openAudioTap((wire) => usageIn(wire, question)),
  guess: (question, { inputTokens }) => guessed({ ...question, inputTokens }),
};

function read(body: RequestBody): SharedRequest {
  const { json } = body;
  validate(json, SPEECH_REQUEST);
  const input = textOf(json["input"]) ?? "";
  const characters = countCharacters(input);
  const words = input + (textOf(json["instructions"]) ?? "");
  return {
    model: textOf(json["model"]) ?? "",
    stream: true,
    body,
    edits: {},
    inputTokens: estimateTokens(words),
    words: [words],
    maxOutputTokens: tokensOfSound(characters),
    units: fitUnits({ characters }),
  };
}

/** Counts code points, as vendors do: a character outside the basic plane counts once. */
function countCharacters(input: string): number {
  let pairs = 0;
  for (let at = 0; at < input.length; at++) {
    if ((input.charCodeAt(at) & 0xfc00) === 0xdc00) pairs++;
  }
  return input.length - pairs;
}

/**
 * About 1,000 characters make a minute of speech, and a minute is 1,250 tokens at the vendor that
 * counts them.
 */
function tokensOfSound(characters: number): number {
  return clampCount(characters * 1.25);
}

function usageIn(wire: Json | undefined, { units }: SharedRequest): Usage | undefined {
  const outputTokens = memberOf(wire, "output_tokens");
  const usage = usageOf({
    inputTokens: memberOf(wire, "input_tokens"),
    outputTokens,
    audioOutputTokens: outputTokens,
  });
  return usage && { ...usage, ...units };
}

/**
 * Characters are exact. Tokens, by which some models are charged, are estimated: plain audio has no
 * usage field.
 */
function guessed({ inputTokens, maxOutputTokens, units }: SharedRequest): Usage {
  return {
    ...NO_USAGE,
    inputTokens,
    outputTokens: maxOutputTokens,
    audioOutputTokens: maxOutputTokens,
    ...units,
    isEstimated: true,
  };
}
