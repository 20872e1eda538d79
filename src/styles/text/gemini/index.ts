import type { TextStyle } from "#core/style.ts";
import { defined, memberOf } from "#lib/values.ts";
import { parseError } from "#styles/upstream-error.ts";
import { buildError } from "./error.ts";
import { ESSENTIAL } from "./essential.ts";
import { readRequest } from "./facts.ts";
import { fitRequest } from "./fit-request.ts";
import { errorIn } from "./failure.ts";
import { continuation } from "./finish.ts";
import { amend, mustTranslate, readAnswer } from "./passthrough.ts";
import { placesOf } from "./content-in.ts";
import { parseStop, STOP_MEMBER } from "./hub-fields.ts";
import { parseRequest, wantsOf } from "./request-in.ts";
import { buildRequest } from "./request-out.ts";
import { parseResponse } from "./response-in.ts";
import { buildResponse } from "./response-out.ts";
import { GEMINI } from "./raw-fields.ts";
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
    stopsIn: (body) =>
      parseStop(defined({ [STOP_MEMBER]: memberOf(body["generationConfig"], "stopSequences") })) ??
      [],
    parseResponse,
    openDecoder,
    continuation,
    parseError,
    errorIn,
    essential: ESSENTIAL,
  },
  passthrough: { amend, mustTranslate, readAnswer, openTap },
};
