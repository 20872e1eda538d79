import type { TextStyle } from "#core/style.ts";
import { defined, memberOf } from "#lib/values.ts";
import { parseError } from "#styles/upstream-error.ts";
import { buildError } from "./error.ts";
import { ESSENTIAL } from "./essential.ts";
import { readRequest } from "./request/facts.ts";
import { fitRequest } from "./request/fit-request.ts";
import { errorIn } from "./failure.ts";
import { continuation } from "./finish.ts";
import { amend, mustTranslate, readAnswer } from "./answer/passthrough.ts";
import { placesOf } from "./conversation/content-in.ts";
import { parseStop, STOP_MEMBER } from "./request/hub-fields.ts";
import { parseRequest, wantsOf } from "./request/request-in.ts";
import { buildRequest } from "./request/request-out.ts";
import { withSystemPrompt } from "./request/system-prompt.ts";
import { readEnd } from "./answer/read-end.ts";
import { parseResponse } from "./answer/response-in.ts";
import { buildResponse } from "./answer/response-out.ts";
import { GEMINI } from "./raw-fields.ts";
import { openDecoder } from "./answer/stream-in.ts";
import { openEncoder } from "./answer/stream-out.ts";
import { openTap } from "./answer/tap.ts";

/** Native content generation: model and stream stand in the path, turns are lists of parts. */
export const gemini: TextStyle = {
  id: GEMINI,
  conversationField: "contents",
  callIdPrefix: "call_",
  readEnd,
  inbound: { readRequest, wantsOf, parseRequest, placesOf, buildResponse, openEncoder, buildError },
  outbound: {
    buildRequest,
    fitRequest,
    withSystemPrompt,
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
