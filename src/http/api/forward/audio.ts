import { z } from "zod";
import type { SharedFormat } from "#core/shared-format.ts";
import { schemaOf } from "#lib/rule-schema.ts";
import { SPEECH_REQUEST, speech } from "#styles/audio/speech.ts";
import {
  TRANSCRIPTION_REQUEST,
  transcriptions,
  TRANSLATION_REQUEST,
  translations,
} from "#styles/audio/transcription.ts";
import { BYTES, type Answer } from "#http/answer.ts";
import type { SharedDeps } from "#http/deps/operations.ts";
import type { Endpoint } from "#http/routes.ts";
import { serveShared } from "./serve-shared.ts";

const SPEECH: Answer = {
  description: "The sound.",
  content: { "audio/*": BYTES, "text/event-stream": z.string() },
};

const TRANSCRIPT: Answer = {
  description: "The transcript in the requested format.",
  content: {
    "application/json": z.looseObject({ text: z.string() }).meta({ id: "Transcript" }),
    "text/plain": z.string(),
    "text/event-stream": z.string(),
  },
};

export const audioOperations: readonly Endpoint<SharedDeps>[] = [
  {
    ...route("createSpeech", "speech", speech, SPEECH, "Speaks a text."),
    requestSchema: () => schemaOf(SPEECH_REQUEST),
  },
  {
    ...route(
      "createTranscription",
      "transcriptions",
      transcriptions,
      TRANSCRIPT,
      "Writes down what is spoken; `file` is a form's.",
    ),
    requestSchema: () => schemaOf(TRANSCRIPTION_REQUEST),
    takesForm: true,
  },
  {
    ...route(
      "createTranslation",
      "translations",
      translations,
      TRANSCRIPT,
      "The same in English; `file` is a form's.",
    ),
    requestSchema: () => schemaOf(TRANSLATION_REQUEST),
    takesForm: true,
  },
];

function route(
  operationId: string,
  name: string,
  format: SharedFormat,
  answer: Answer,
  summary: string,
): Endpoint<SharedDeps> {
  return {
    operationId,
    tag: "Audio",
    answer,
    method: "POST",
    path: `/v1/audio/${name}`,
    access: "key",
    family: "audio",
    summary,
    renderError: (error) => format.inbound.buildError(error),
    handle: (exchange, deps) => serveShared(exchange, format, deps),
  };
}
