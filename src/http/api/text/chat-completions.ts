import { REQUEST } from "#styles/text/chat/request/fields.ts";
import { chat } from "#styles/text/chat/index.ts";
import { streamableAnswer } from "#http/answer.ts";
import type { GenerationDeps } from "#http/deps/text.ts";
import type { Endpoint } from "#http/routes.ts";
import { jsonCall } from "#http/api/json-call.ts";
import { CHAT_COMPLETION } from "./answers.ts";
import { generate } from "./generate.ts";

export const createChatCompletion: Endpoint<GenerationDeps> = {
  ...jsonCall(chat, REQUEST),
  operationId: "createChatCompletion",
  tag: "Text",
  answer: streamableAnswer(CHAT_COMPLETION),
  path: "/v1/chat/completions",
  access: "key",
  family: "text",
  summary:
    "Generates text in the chat-completions style; `stream: true` answers with server-sent events.",
  handle(exchange, deps) {
    const agent = exchange.request.headers.get("user-agent") ?? "";
    return generate(exchange, chat, deps, COMPACT.test(agent) ? COMPACTLY : USUALLY);
  },
};

/** User agents of clients that expect compact streams, independent of the vendor. */
const COMPACT = /mistral/i;
const COMPACTLY = { address: { compactStream: true } };
const USUALLY = { address: { compactStream: false } };
