import { REQUEST } from "#styles/text/completions/fields.ts";
import { completions } from "#styles/text/completions/index.ts";
import { streamableAnswer } from "#http/answer.ts";
import type { GenerationDeps } from "#http/deps/text.ts";
import type { Endpoint } from "#http/routes.ts";
import { jsonCall } from "#http/api/json-call.ts";
import { COMPLETION } from "./answers.ts";
import { generate } from "./generate.ts";

export const createCompletion: Endpoint<GenerationDeps> = {
  ...jsonCall(completions, REQUEST),
  operationId: "createCompletion",
  tag: "Text",
  answer: streamableAnswer(COMPLETION),
  path: "/v1/completions",
  access: "key",
  family: "text",
  summary: "Continues a prompt, in the legacy completions style.",
  handle: (exchange, deps) => generate(exchange, completions, deps),
};
