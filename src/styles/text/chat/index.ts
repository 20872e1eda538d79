import type { TextStyle } from "#core/style.ts";
import { SSE_COMMENT } from "#lib/sse.ts";
import { buildError } from "./error.ts";
import { ESSENTIAL } from "./essential.ts";
import { errorIn } from "./failure.ts";
import { readRequest } from "./facts.ts";
import { schemaBy, schemaIn } from "./fit-format.ts";
import { fitRequest } from "./fit-request.ts";
import { amend, asksForUsage, mustTranslate, readAnswer } from "./passthrough.ts";
import { parseStop } from "./hub-fields.ts";
import { parseRequest, wantsOf } from "./request-in.ts";
import { repairAnswer } from "./repair-calls.ts";
import { buildRequest } from "./request-out.ts";
import { parseResponse } from "./response-in.ts";
import { buildResponse } from "./response-out.ts";
import { CHAT } from "./raw-fields.ts";
import { openDecoder } from "./stream-in.ts";
import { openEncoder } from "./stream-out.ts";
import { openTap } from "./tap.ts";
import { parseError } from "#styles/upstream-error.ts";

/** Chat completions: the wire format that most vendors and most clients share. */
export const chat: TextStyle = {
  id: CHAT,
  keepAlive: SSE_COMMENT,
  conversationField: "messages",
  callIdPrefix: "call_",
  inbound: { readRequest, wantsOf, parseRequest, buildResponse, openEncoder, buildError },
  outbound: {
    buildRequest,
    fitRequest,
    schemaBy,
    stopsIn: (body) => parseStop(body) ?? [],
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
