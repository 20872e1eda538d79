import type { TextStyle } from "#core/style.ts";
import { SSE_COMMENT } from "#lib/sse.ts";
import { buildError } from "./error.ts";
import { ESSENTIAL } from "./essential.ts";
import { errorIn } from "./failure.ts";
import { readRequest } from "./request/facts.ts";
import { schemaBy, schemaIn } from "./request/fit-format.ts";
import { fitRequest } from "./request/fit-request.ts";
import { amend, asksForUsage, mustTranslate, readAnswer } from "./answer/passthrough.ts";
import { parseStop } from "./request/hub-fields.ts";
import { parseRequest, wantsOf } from "./request/request-in.ts";
import { repairAnswer } from "./answer/repair-calls.ts";
import { buildRequest } from "./request/request-out.ts";
import { withSystemPrompt } from "./request/system-prompt.ts";
import { readEnd } from "./answer/read-end.ts";
import { parseResponse } from "./answer/response-in.ts";
import { buildResponse } from "./answer/response-out.ts";
import { CHAT } from "./raw-fields.ts";
import { openDecoder } from "./answer/stream-in.ts";
import { openEncoder } from "./answer/stream-out.ts";
import { openTap } from "./answer/tap.ts";
import { parseError } from "#styles/upstream-error.ts";

const NO_STOPS: readonly string[] = [];

/** Chat completions: the wire format that most vendors and most clients share. */
export const chat: TextStyle = {
  id: CHAT,
  keepAlive: SSE_COMMENT,
  conversationField: "messages",
  callIdPrefix: "call_",
  readEnd,
  inbound: { readRequest, wantsOf, parseRequest, buildResponse, openEncoder, buildError },
  outbound: {
    buildRequest,
    fitRequest,
    withSystemPrompt,
    schemaBy,
    stopsIn: (body) => parseStop(body) ?? NO_STOPS,
    parseResponse,
    openDecoder,
    parseError,
    errorIn,
    essential: ESSENTIAL,
  },
  passthrough: {
    amend,
    mustTranslate,
    schemaIn,
    asksForUsage,
    readAnswer,
    repairAnswer,
    openTap,
  },
};
