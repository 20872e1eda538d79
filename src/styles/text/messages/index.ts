import type { TextStyle } from "#core/style.ts";
import { SSE_COMMENT } from "#lib/sse.ts";
import { parseError } from "#styles/upstream-error.ts";
import { buildError } from "./error.ts";
import { ESSENTIAL } from "./essential.ts";
import { readRequest } from "./request/facts.ts";
import { fitRequest } from "./request/fit-request.ts";
import { schemaBy, schemaIn } from "./request/format-out.ts";
import { errorIn } from "./failure.ts";
import { answersForTool, forcesTool } from "./request/forced-tool.ts";
import { amend, mustTranslate, readAnswer } from "./answer/passthrough.ts";
import { repairAnswer } from "./answer/repair-answer.ts";
import { parseStop } from "./request/hub-fields.ts";
import { parseRequest, placesOf, wantsOf } from "./request/request-in.ts";
import { buildRequest } from "./request/request-out.ts";
import { withSystemPrompt } from "./request/system-prompt.ts";
import { readEnd } from "./answer/read-end.ts";
import { parseResponse } from "./answer/response-in.ts";
import { buildResponse } from "./answer/response-out.ts";
import { MESSAGES } from "./raw-fields.ts";
import { openDecoder } from "./answer/stream-in.ts";
import { openEncoder } from "./answer/stream-out.ts";
import { openTap } from "./answer/tap.ts";

/** Messages: content in blocks, and streams of named events around each of them. */
export const messages: TextStyle = {
  id: MESSAGES,
  keepAlive: SSE_COMMENT,
  conversationField: "messages",
  callIdPrefix: "toolu_",
  rateHeaderPrefix: "anthropic-ratelimit",
  readEnd,
  inbound: { readRequest, wantsOf, parseRequest, placesOf, buildResponse, openEncoder, buildError },
  outbound: {
    buildRequest,
    fitRequest,
    withSystemPrompt,
    schemaBy,
    answersForTool,
    stopsIn: (body) => parseStop(body) ?? [],
    parseResponse,
    openDecoder,
    parseError,
    errorIn,
    essential: ESSENTIAL,
  },
  passthrough: { amend, mustTranslate, schemaIn, forcesTool, readAnswer, repairAnswer, openTap },
};
