import type { TextStyle } from "#core/style.ts";
import { buildError, encodeError } from "./error.ts";
import { readRequest } from "./facts.ts";
import { amend, readAnswer } from "./passthrough.ts";
import { parseRequest } from "./request-in.ts";
import { buildRequest } from "./request-out.ts";
import { parseResponse } from "./response-in.ts";
import { buildResponse } from "./response-out.ts";
import { CHAT } from "./spelling.ts";
import { decodeStream } from "./stream-in.ts";
import { encodeStream } from "./stream-out.ts";
import { openTap } from "./tap.ts";
import { parseError } from "./upstream-error.ts";

/** Chat completions: the wire format that most vendors and most clients share. */
export const chat: TextStyle = {
  id: CHAT,
  inbound: { readRequest, parseRequest, buildResponse, encodeStream, buildError, encodeError },
  outbound: { buildRequest, parseResponse, decodeStream, parseError },
  passthrough: { amend, readAnswer, openTap },
};
