import { REQUEST } from "#styles/text/messages/request/fields.ts";
import { messages } from "#styles/text/messages/index.ts";
import { streamableAnswer } from "#http/answer.ts";
import type { GenerationDeps } from "#http/deps/text.ts";
import type { Endpoint } from "#http/routes.ts";
import { jsonCall } from "#http/api/json-call.ts";
import { MESSAGE } from "./answers.ts";
import { generate } from "./generate.ts";

export const createMessage: Endpoint<GenerationDeps> = {
  ...jsonCall(messages, REQUEST),
  operationId: "createMessage",
  tag: "Text",
  answer: streamableAnswer(MESSAGE),
  path: "/v1/messages",
  access: "key",
  family: "text",
  summary: "Generates text in the messages style; `stream: true` answers with server-sent events.",
  handle: (exchange, deps) => generate(exchange, messages, deps),
};
