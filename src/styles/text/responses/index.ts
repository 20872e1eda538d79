import type { TextStyle } from "#core/style.ts";
import { SSE_COMMENT } from "#lib/sse.ts";
import { parseError } from "#styles/upstream-error.ts";
import { buildError } from "./error.ts";
import { ESSENTIAL } from "./essential.ts";
import { readRequest } from "./request/facts.ts";
import { fitRequest } from "./request/fit-request.ts";
import { errorIn } from "./failure.ts";
import { amend, mustTranslate, readAnswer } from "./answer/passthrough.ts";
import { repairAnswer } from "./answer/repair-answer.ts";
import { placesOf } from "./conversation/item-in.ts";
import { parseRequest, wantsOf } from "./request/request-in.ts";
import { buildRequest } from "./request/request-out.ts";
import { withSystemPrompt } from "./request/system-prompt.ts";
import { readEnd } from "./answer/read-end.ts";
import { parseResponse } from "./answer/response-in.ts";
import { buildResponse } from "./answer/response-out.ts";
import { RESPONSES } from "./raw-fields.ts";
import { openDecoder } from "./answer/stream-in.ts";
import { openEncoder } from "./answer/stream-out.ts";
import { openTap } from "./answer/tap.ts";

/** Responses: items in, items out; what is kept between calls is the gateway's business. */
export const responses: TextStyle = {
  id: RESPONSES,
  keepAlive: SSE_COMMENT,
  conversationField: "input",
  callIdPrefix: "call_",
  keeps: ["metadata"],
  readEnd,
  inbound: { readRequest, wantsOf, parseRequest, placesOf, buildResponse, openEncoder, buildError },
  outbound: {
    buildRequest,
    fitRequest,
    withSystemPrompt,
    parseResponse,
    openDecoder,
    parseError,
    errorIn,
    essential: ESSENTIAL,
  },
  passthrough: { amend, mustTranslate, readAnswer, repairAnswer, openTap },
};
