import type { TextStyle } from "#core/style.ts";
import { objectOf } from "#lib/values.ts";
import { parseError } from "#styles/upstream-error.ts";
import { buildError } from "./error.ts";
import { ESSENTIAL } from "./essential.ts";
import { readRequest } from "./facts.ts";
import { fitRequest } from "./fit-request.ts";
import { errorIn } from "./failure.ts";
import { continuation } from "./finish.ts";
import { amend, mustTranslate, readAnswer } from "./passthrough.ts";
import { placesOf } from "./content-in.ts";
import { parseRequest, parseStop, wantsOf } from "./request-in.ts";
import { buildRequest } from "./request-out.ts";
import { parseResponse } from "./response-in.ts";
import { buildResponse } from "./response-out.ts";
import { GEMINI } from "./spelling.ts";
import { openDecoder } from "./stream-in.ts";
import { openEncoder } from "./stream-out.ts";
import { openTap } from "./tap.ts";

/** Native content generation: model and stream stand in the path, turns are lists of parts. */
export const gemini: TextStyle = {
  id: GEMINI,
  conversationField: "contents",
  callIdPrefix: "call_",
  inbound: { readRequest, wantsOf, parseRequest, placesOf, buildResponse, openEncoder, buildError },
  outbound: {
    buildRequest,
    fitRequest,
    stopsIn: (body) => parseStop(objectOf(body["generationConfig"]) ?? {}) ?? [],
    parseResponse,
    openDecoder,
    continuation,
    parseError,
    errorIn,
    essential: ESSENTIAL,
  },
  passthrough: { amend, mustTranslate, readAnswer, openTap },
};
