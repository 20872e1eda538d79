import { schemaOf } from "#lib/rule-schema.ts";
import { REQUEST } from "#styles/text/completions/fields.ts";
import { completions } from "#styles/text/completions/index.ts";
import { streamableAnswer } from "#http/answer.ts";
import type { GenerationDeps } from "#http/deps/text.ts";
import type { Endpoint } from "#http/routes.ts";
import { COMPLETION } from "./answers.ts";
import { generate } from "./generate.ts";

export const createCompletion: Endpoint<GenerationDeps> = {
  operationId: "createCompletion",
  tag: "Text",
  answer: streamableAnswer(COMPLETION),
  method: "POST",
  path: "/v1/completions",
  access: "key",
  family: "text",
  summary: "Continues a prompt, in the legacy completions style.",
  requestSchema: () => schemaOf(REQUEST),
  renderError: (error) => completions.inbound.buildError(error),
  handle: (exchange, deps) => generate(exchange, completions, deps),
};
