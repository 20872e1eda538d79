import type { SharedFormat } from "#core/shared-format.ts";
import { schemaOf } from "#lib/rule-schema.ts";
import { SPEECH_REQUEST, speech } from "#styles/audio/speech.ts";
import {
  TRANSCRIPTION_REQUEST,
  transcriptions,
  TRANSLATION_REQUEST,
  translations,
} from "#styles/audio/transcription.ts";
import type { HttpDeps } from "#http/deps.ts";
import type { Route } from "#http/routes.ts";
import { serveShared } from "./serve-shared.ts";

export const audioOperations: readonly Route<HttpDeps>[] = [
  {
    ...route("speech", speech, "Speaks a text."),
    requestSchema: () => schemaOf(SPEECH_REQUEST),
  },
  {
    ...route("transcriptions", transcriptions, "Writes down what is spoken; `file` is a form's."),
    requestSchema: () => schemaOf(TRANSCRIPTION_REQUEST),
    takesForm: true,
  },
  {
    ...route("translations", translations, "The same in English; `file` is a form's."),
    requestSchema: () => schemaOf(TRANSLATION_REQUEST),
    takesForm: true,
  },
];

function route(name: string, format: SharedFormat, summary: string): Route<HttpDeps> {
  return {
    method: "POST",
    path: `/v1/audio/${name}`,
    access: "key",
    family: "audio",
    summary,
    renderError: (error) => format.inbound.buildError(error),
    handle: (exchange, deps) => serveShared(exchange, format, deps),
  };
}
