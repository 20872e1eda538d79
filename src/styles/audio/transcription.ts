import { estimateTokens } from "#core/count.ts";
import { invalid } from "#core/error.ts";
import { validate } from "#core/validate.ts";
import type { SharedAnswer, SharedFormat, SharedRequest } from "#core/shared-format.ts";
import { clampCount, fitUnits, NO_USAGE, type Usage } from "#core/usage.ts";
import type { Form, FormFile } from "#lib/form.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { playTimeOf } from "#lib/play-time.ts";
import { flag, object, text, type ObjectRule } from "#lib/rules.ts";
import { textOf } from "#lib/values.ts";
import { noAnswer } from "#styles/no-answer.ts";
import { buildError } from "#styles/text/chat/error.ts";
import { errorIn } from "#styles/text/chat/failure.ts";
import { parseError } from "#styles/upstream-error.ts";
import { openAudioTap } from "./audio-tap.ts";
import { endOfCues, wordsOfCues } from "./cues.ts";
import { usageOfHeard } from "./transcription-usage.ts";

const SHAPES = ["json", "text", "srt", "verbose_json", "vtt"];

/** Form fields, beside the file, that the gateway reads; the others are forwarded unread. */
const FIELDS = {
  "model!": text({ minLength: 1, maxLength: 512 }),
  prompt: text({ doc: "Words to go by." }),
  stream: flag("The transcript is wanted as it comes; not all models can."),
};

export const TRANSLATION_REQUEST: ObjectRule = object({
  ...FIELDS,
  response_format: text({ oneOf: SHAPES }),
});

export const TRANSCRIPTION_REQUEST: ObjectRule = object({
  ...FIELDS,
  response_format: text({ oneOf: [...SHAPES, "diarized_json"] }),
});

/** Speech to text. */
export const transcriptions = formatOf("transcriptions", TRANSCRIPTION_REQUEST);

/** Speech in any language to English text. */
export const translations = formatOf("translations", TRANSLATION_REQUEST);

function formatOf(id: string, rule: ObjectRule): SharedFormat {
  return {
    id,
    inbound: { readForm: (form) => read(form, rule), buildError },
    outbound: { parseError, errorIn },
    answersIn: ({ shape }) => (isCaptions(shape) ? "text" : "json"),
    readAnswer,
    openTap: (question) => openAudioTap((wire) => usageOfHeard(wire, undefined, playMs(question))),
    guess: (question, { inputTokens, outputTokens }) =>
      guessed({ ...question, inputTokens }, outputTokens),
  };
}

function read(form: Form, rule: ObjectRule): SharedRequest {
  const fields = fieldsOf(form, rule);
  validate(fields, rule);
  const units = fitUnits({ durationMs: playTimeOf(fileOf(form).bytes) });
  const durationMs = units.durationMs ?? 0;
  const shape = textOf(fields["response_format"]) ?? "json";
  const prompt = textOf(fields["prompt"]) ?? "";
  return {
    model: textOf(fields["model"]) ?? "",
    stream: fields["stream"] === true,
    body: form,
    shape,
    // Only JSON responses contain usage, and JSON is the default format.
    edits: shape === "text" ? { response_format: undefined } : {},
    inputTokens: clampCount(tokensOfSound(durationMs) + estimateTokens(prompt)),
    words: [prompt],
    maxOutputTokens: tokensOfWords(durationMs),
    units,
  };
}

/** A form has text values only. Each field that the gateway reads must occur once. */
function fieldsOf(form: Form, { members }: ObjectRule): JsonObject {
  const fields: Record<string, Json> = {};
  for (const part of form.parts) {
    const rule = members.get(part.name);
    if (rule === undefined) continue;
    if (!("value" in part)) throw invalid(part.name, `'${part.name}' must not be a file.`);
    if (Object.hasOwn(fields, part.name)) throw twice(part.name);
    fields[part.name] = rule.is === "flag" ? flagIn(part.value) : part.value;
  }
  return fields;
}

/** Any other text is refused by the schema. */
function flagIn(value: string): Json {
  if (value === "true" || value === "1") return true;
  return value === "false" || value === "0" ? false : value;
}

function fileOf(form: Form): FormFile {
  const [file, second] = form.parts.filter(({ name }) => name === "file");
  if (second !== undefined) throw twice("file");
  if (file === undefined) throw invalid("file", "'file' is required.");
  if (!("bytes" in file)) throw invalid("file", "'file' must be a file.");
  if (file.bytes.length === 0) throw invalid("file", "'file' is empty.");
  return file;
}

function twice(name: string): Error {
  return invalid(name, `'${name}' occurs twice in the form.`);
}

function isCaptions(shape: string | undefined): boolean {
  return shape === "srt" || shape === "vtt";
}

function readAnswer(answer: JsonObject | string, question: SharedRequest): SharedAnswer {
  if (typeof answer === "string") return readCaptions(answer, question);
  const said = textOf(answer["text"]);
  if (said === undefined) throw noAnswer("has no text");
  const usage = usageOfHeard(answer["usage"], answer["duration"], playMs(question));
  return {
    outputText: said,
    ...(usage && { usage }),
    ...(question.shape === "text" ? { rewritten: `${said}\n` } : {}),
  };
}

/** Captions contain the end of the last word, but no usage. */
function readCaptions(captions: string, question: SharedRequest): SharedAnswer {
  const durationMs = endOfCues(captions);
  if (durationMs === undefined) return { outputText: wordsOfCues(captions) };
  const heard = {
    ...question,
    units: fitUnits({ durationMs }),
    inputTokens: tokensOfSound(durationMs),
  };
  return { inputUsage: guessed(heard, 0), outputText: wordsOfCues(captions) };
}

function guessed({ inputTokens, units }: SharedRequest, outputTokens: number): Usage {
  return {
    ...NO_USAGE,
    inputTokens,
    audioInputTokens: Math.min(inputTokens, tokensOfSound(units.durationMs ?? 0)),
    outputTokens: clampCount(outputTokens),
    ...units,
    isEstimated: true,
  };
}

function playMs({ units }: SharedRequest): number {
  return units.durationMs ?? 0;
}

const MINUTE_MS = 60_000;

/** A minute is 1,000 tokens at the vendor that counts them. */
function tokensOfSound(durationMs: number): number {
  return clampCount((durationMs * 1_000) / MINUTE_MS);
}

/** The rate of a fast speaker. */
function tokensOfWords(durationMs: number): number {
  return clampCount(100 + (durationMs * 350) / MINUTE_MS);
}
