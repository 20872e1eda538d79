import { schemaOf } from "#lib/rule-schema.ts";
import { REQUEST } from "#styles/text/messages/request/fields.ts";
import { messages } from "#styles/text/messages/index.ts";
import { streamableAnswer } from "#http/answer.ts";
import type { GenerationDeps } from "#http/deps/text.ts";
import type { Endpoint } from "#http/routes.ts";
import { MESSAGE } from "./answers.ts";
import { generate } from "./generate.ts";

export const createMessage: Endpoint<GenerationDeps> = {
  operationId: "createMessage",
  tag: "Text",
  answer: streamableAnswer(MESSAGE),
  method: "POST",
  path: "/v1/messages",
  access: "key",
  family: "text",
  summary: "Generates text in the messages style; `stream: true` answers with server-sent events.",
  requestSchema: () => schemaOf(REQUEST),
  renderError: (error) => messages.inbound.buildError(error),
  handle: (exchange, deps) => generate(exchange, messages, deps),
};
