import type { InboundStyle } from "#core/style.ts";
import { SSE_COMMENT } from "#lib/sse.ts";
import { readEnd } from "#styles/text/chat/answer/read-end.ts";
import { buildError } from "#styles/text/chat/error.ts";
import { readRequest } from "./facts.ts";
import { COMPLETIONS, parseRequest } from "./request.ts";
import { buildResponse, readTexts } from "./response.ts";
import { openEncoder } from "./stream.ts";

/** Legacy text completions. Only clients use this style. */
export const completions: InboundStyle = {
  id: COMPLETIONS,
  conversationField: "prompt",
  callIdPrefix: "call_",
  keepAlive: SSE_COMMENT,
  hasReasoning: false,
  keeps: ["reasoning"],
  readEnd,
  readTexts,
  inbound: { readRequest, parseRequest, buildResponse, openEncoder, buildError },
};
