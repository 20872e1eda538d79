import type { TextStyle } from "#core/style.ts";
import { SSE_COMMENT } from "#lib/sse.ts";
import { parseError } from "#styles/upstream-error.ts";
import { buildError } from "./error.ts";
import { ESSENTIAL } from "./essential.ts";
import { readRequest } from "./facts.ts";
import { fitRequest } from "./fit-request.ts";
import { schemaBy, schemaIn } from "./format-out.ts";
import { errorIn } from "./failure.ts";
import { answersForTool, forcesTool } from "./forced-tool.ts";
import { amend, mustTranslate, readAnswer } from "./passthrough.ts";
import { repairAnswer } from "./repair-answer.ts";
import { parseStop } from "./hub-fields.ts";
import { parseRequest, placesOf, wantsOf } from "./request-in.ts";
import { buildRequest } from "./request-out.ts";
import { parseResponse } from "./response-in.ts";
import { buildResponse } from "./response-out.ts";
import { MESSAGES } from "./raw-fields.ts";
import { openDecoder } from "./stream-in.ts";
import { openEncoder } from "./stream-out.ts";
import { openTap } from "./tap.ts";

/** Messages: content in blocks, and streams of named events around each of them. */
export const messages: TextStyle = {
  id: MESSAGES,
  keepAlive: SSE_COMMENT,
  conversationField: "messages",
  callIdPrefix: "toolu_",
  rateHeaderPrefix: "anthropic-ratelimit",
  inbound: { readRequest, wantsOf, parseRequest, placesOf, buildResponse, openEncoder, buildError },
  outbound: {
    buildRequest,
    fitRequest,
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
